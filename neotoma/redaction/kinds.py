"""The closed list of what the guard tells apart. A marker names one of these and nothing else."""

from neotoma.redaction.infixes import INFIXES
from neotoma.redaction.vendors import VENDORS

SECRET_KINDS = frozenset(
    {
        "api_key",
        "authorization",
        "cookie",
        "credential",
        "one_time_code",
        "password",
        "password_hash",
        "private_key",
        "recovery_phrase",
        "secret",
        "token",
        "jwt",
        "url_password",
        "url_token",
    }
)
PERSONAL_KINDS = frozenset({"card_number", "email", "home_user", "iban", "ip_address", "national_id", "phone"})
KINDS = SECRET_KINDS | PERSONAL_KINDS | {vendor.kind for vendor in VENDORS} | {infix.kind for infix in INFIXES}
