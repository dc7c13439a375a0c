"""All the words that make a text worth a closer look, in lower case. A text is searched for them once."""

from neotoma.redaction.words import Vocabulary

# Every name of a secret holds one of these.
NAMES = (
    "pass", "pwd", "secret", "token", "key", "auth", "cred", "sess", "sid", "csrf", "xsrf", "sig", "code", "salt",
    "jwt", "pepper", "bearer", "psk", "otp", "pin", "cvv", "cvc", "mnemonic", "phrase", "pat", "hmac", "pw", "ticket",
    "assertion", "mfa", "contrase", "clave", "senha", "mot", "mdp", "kennwort", "wachtwoord", "has\u0142", "hasl",
    "heslo", "parola", "sifre", "\u015fifre", "losenord", "l\u00f6senord", "salasana", "adgangskode", "jelsz",
    "\u043f\u0430\u0440\u043e\u043b", "\u5bc6", "\u53e3\u4ee4", "\u30d1\u30b9", "\ube44\ubc00",
)  # fmt: skip
# What secrets are called in running text: `the password is X`.
NOUNS = (
    "password", "passphrase", "passcode", "passwd", "pwd", "secret", "token", "api key", "apikey", "access key",
    "secret key", "private key", "auth key", "license key", "credential", "login", "contrase\u00f1a", "contrasena",
    "clave", "clave de acceso", "clave de api", "mot de passe", "passwort", "kennwort", "senha", "palavra-passe",
    "wachtwoord", "has\u0142o", "parola", "l\u00f6senord",
    "\u043f\u0430\u0440\u043e\u043b\u044c",  # Russian
    "\u5bc6\u7801", "\u5bc6\u78bc", "\u53e3\u4ee4",  # Chinese
    "\u30d1\u30b9\u30ef\u30fc\u30c9", "\ube44\ubc00\ubc88\ud638",  # Japanese, Korean
)  # fmt: skip
# Parts of words serve as well: where a word begins with a frequent letter, the search would stop too often.
OTHERS = (
    "authorization", "basic", "ssws", "pop", "cookie",
    "login", "log in", "account", "acceso", "zugang", "cred",
    "private-lines:", "wifi:", "2fa", "one-time", "one time", "seed", "covery", "wallet", "backup",
    "ssn", "social", "surance", "passport", "aadhaar", "pesel", "bsn", "cpf", "taxpayer", "tax id", "steuer",
    "tional id", "licen", "codice", "curp", "securestring", "tified by", "tified with", "abbitmqctl",
    "home", "sers", "settings",
    "(at", "[at", "{at", "<at", "( at", "[ at", "(@", "[@", "{@", "<@", "arroba",
)  # fmt: skip
VOCABULARY = Vocabulary((*NAMES, *NOUNS, *OTHERS))
