"""Secrets whose mark is not a prefix: Telegram, Discord and Azure tokens, password hashes, the pair of an AWS key."""

import re
from typing import NamedTuple


class Infix(NamedTuple):
    """`trigger` is a substring that every match holds. A match lies within one word, unless its parts stand `apart`.
    The group `secret`, where there is one, is what goes."""

    kind: str
    trigger: str
    pattern: re.Pattern[str]
    apart: bool = False


_NOT_INSIDE = r"(?<![A-Za-z0-9])"
_HASH_BODY = r"[^\s\"'\\]{20,256}"

INFIXES: tuple[Infix, ...] = (
    Infix("telegram_token", ":A", re.compile(r"(?<![0-9])[0-9]{8,10}:A[A-Za-z0-9_\-]{32,36}(?![A-Za-z0-9_\-])")),
    Infix(
        "discord_token",
        ".",
        re.compile(
            r"[MNO](?<![\w\-.][MNO])[A-Za-z0-9_\-]{22,28}+\.[A-Za-z0-9_\-]{6,7}+\.[A-Za-z0-9_\-]{27,45}+(?![\w\-])"
        ),
    ),
    Infix("azure_secret", "Q~", re.compile(r"[A-Za-z0-9_~.\-]{3}[0-9]Q~[A-Za-z0-9_~.\-]{30,34}")),
    Infix("azure_token", "AZDO", re.compile(_NOT_INSIDE + r"[A-Za-z0-9]{70,80}AZDO[A-Za-z0-9]{4}")),
    Infix("azure_key", "JQQJ99", re.compile(_NOT_INSIDE + r"[A-Za-z0-9]{40,60}JQQJ99[A-Za-z0-9]{24,40}")),
    Infix(
        "azure_key",
        "==",
        re.compile(
            r"(?<![A-Za-z0-9+/_\-])[A-Za-z0-9+/_\-]{30,80}(?:\+A(?:StT|Rm0|SbT|EhS|CDb|IoT)|Az(?:Fu|Ca|Se)|ACDb)"
            r"[A-Za-z0-9+/_\-]{5,10}={1,2}"
        ),
    ),
    Infix("mailchimp_key", "-us", re.compile(r"(?<![0-9a-f])[0-9a-f]{32}-us[0-9]{1,2}(?![0-9A-Za-z])")),
    Infix(
        "terraform_token", "atlasv1.", re.compile(r"(?:[A-Za-z0-9]{14}\.)?atlasv1\.[A-Za-z0-9_\-=]{40,128}")
    ),
    Infix("asana_token", "/", re.compile(r"(?<![0-9A-Za-z/])[0-2]/[0-9]{15,17}(?:/[0-9]{15,17})?:[a-f0-9]{32}")),
    Infix(
        "aws_secret_key",
        "IA",
        re.compile(r"A[KS]IA[A-Z0-9]{16}[\s:,;|/\"']{1,8}(?P<secret>[A-Za-z0-9/+]{40})(?![A-Za-z0-9/+=])"),
        apart=True,
    ),
    # What Windows keeps beside the empty LM hash, whose value is fixed.
    Infix(
        "password_hash",
        "aad3b435b51404ee:",
        re.compile(r"(?:aad3b435b51404ee){2}:(?P<secret>[0-9A-Fa-f]{32})(?![0-9A-Fa-f])"),
    ),
    Infix("password_hash", "$2", re.compile(r"\$2[abxy]?\$[0-9]{2}\$[./A-Za-z0-9]{53}")),
    Infix("password_hash", "$argon2", re.compile(r"\$argon2(?:id|i|d)\$" + _HASH_BODY)),
    Infix(
        "password_hash",
        "$",
        re.compile(r"\$(?:[156]|apr1|y|gy|7)\$[^\s\"'$:\\]{1,64}\$(?:[^\s\"'$:\\]{1,64}\$)?[./A-Za-z0-9]{20,90}"),
    ),
    Infix(
        "password_hash",
        "$",
        re.compile(
            r"(?:pbkdf2_sha[0-9]{1,3}|pbkdf2:sha[0-9]{1,3}:[0-9]{1,8}|scrypt:[0-9:]{3,20}|bcrypt_sha256|scrypt)\$"
            + _HASH_BODY
        ),
    ),
    # Links that post for whoever knows them.
    Infix(
        "slack_webhook",
        "hooks.slack.com/",
        re.compile(r"hooks\.slack\.com/(?:services|workflows|triggers)/(?P<secret>[A-Za-z0-9_/\-]{20,200})"),
    ),
    Infix("discord_webhook", "/webhooks/", re.compile(r"/webhooks/(?P<secret>[0-9]{15,21}/[A-Za-z0-9_\-]{30,100})")),
    Infix(
        "teams_webhook",
        "/webhookb2/",
        re.compile(r"/webhookb2/(?P<secret>[A-Za-z0-9@\-]{30,90}/[A-Za-z0-9/\-]{30,200})"),
    ),
    Infix("zapier_webhook", "/hooks/catch/", re.compile(r"/hooks/catch/(?P<secret>[0-9]{3,12}/[A-Za-z0-9]{4,20})")),
    Infix(
        "make_webhook",
        "make.com/",
        re.compile(r"hook\.[a-z0-9.]{0,12}make\.com/(?P<secret>[a-z0-9]{24,40})(?![a-z0-9])"),
    ),
    Infix("feishu_webhook", "/bot/v2/hook/", re.compile(r"/bot/v2/hook/(?P<secret>[A-Za-z0-9\-]{16,64})")),
    # The private members of a JSON Web Key.
    Infix(
        "private_key",
        "kty",
        re.compile(r"\\{0,3}\"(?:d|p|q|dp|dq|qi|k)\\{0,3}\"[ ]?:[ ]?\\{0,3}\"(?P<secret>[A-Za-z0-9_\-]{20,2000})"),
        apart=True,
    ),
    # A Wi-Fi share code keeps its password in a field of its own.
    Infix("password", "WIFI:", re.compile(r"WIFI:(?:[STH]:[^;\n]{0,64};){0,4}P:(?P<secret>[^;\n]{4,64});"), apart=True),
)  # fmt: skip
