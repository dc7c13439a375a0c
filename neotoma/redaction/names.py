"""Does a name announce a secret? `db_password`, `X-Api-Key`, `accessToken`, `GH_PAT`, but not `token_count`."""

import re
from functools import lru_cache
from typing import NamedTuple

from neotoma.redaction.words import words


class Secrecy(NamedTuple):
    """Kind of the secret, and whether the name alone is proof (`strong`) or the value must look random too."""

    kind: str
    strong: bool


_PASSWORDS = words(
    """password passwd passwort kennwort passphrase passcode pwd psk storepass keypass userpass rootpass dbpass sshpass
    wpapsk
    contrase\u00f1a contrasena contrasenya senha motdepasse mdp wachtwoord has\u0142o haslo heslo parola \u015fifre
    sifre l\u00f6senord losenord salasana adgangskode jelsz\u00f3 \u043f\u0430\u0440\u043e\u043b\u044c
    \u5bc6\u7801 \u5bc6\u78bc \u53e3\u4ee4 \u30d1\u30b9\u30ef\u30fc\u30c9 \ube44\ubc00\ubc88\ud638"""
)
_ENDINGS = (
    ("password", "password"), ("passwd", "password"), ("passphrase", "password"), ("passwort", "password"),
    ("pwd", "password"), ("bindpw", "password"), ("rootpw", "password"), ("adminpw", "password"),
    ("userpw", "password"), ("secret", "secret"), ("token", "token"), ("apikey", "api_key"), ("secretkey", "api_key"),
    ("accesskey", "api_key"), ("privatekey", "private_key"), ("authkey", "api_key"), ("accountkey", "api_key"),
    ("encryptionkey", "api_key"), ("signingkey", "api_key"), ("masterkey", "api_key"), ("sharedkey", "api_key"),
    ("licensekey", "api_key"), ("clientkey", "api_key"), ("sessionkey", "api_key"), ("webhookkey", "api_key"),
)  # fmt: skip
_KEY_OWNERS = words(
    """api access secret private signing encryption encrypt decryption crypt cipher master auth authentication account
    storage shared subscription license licence webhook app
    application deploy admin fernet hmac jwt aes preshared ingest"""
)
_HARMLESS_KEYS = words(
    """cache primary foreign sort partition idempotency public object group dedupe dedup natural unique row hash map
    index i18n translation range shard routing lookup composite field column dict parent child config
    json message event issue feature lock queue s blob bucket redis entity type tab arrow up down enter
    escape shortcut hot registry error"""
)
_NOT_TOKENS = words(
    """pad eos bos unk sep cls mask page next prev previous continuation cursor stop special end start max min num
    first last per prompt completion input output total cached reasoning image audio pagination resume sync scroll
    no has is show hide forgot lost without require requires needs allow use uses skip missing invalid bad lexer
    parser keyword operator syntax"""
)
_QUALIFIERS = words(
    """value val raw plain plaintext text string str b64 base64 base data prod production staging stage test dev
    development live local old new current previous primary secondary main backup confirmation confirm confirmed
    again repeat repeated verify encoded hex default override ro rw readonly eu us"""
)
_WEAK = {
    **dict.fromkeys(words("pass passes passwords pw clave"), "password"),
    **dict.fromkeys(
        words("auth pat sid sess session sessionid phpsessid jsessionid csrf xsrf sig signature hmac"), "token"
    ),
    **dict.fromkeys(words("code ticket tokens assertion"), "token"),
    **dict.fromkeys(words("key keys apikeys"), "api_key"),
    **dict.fromkeys(words("salt secrets"), "secret"),
    **dict.fromkeys(words("cred creds credential credentials"), "credential"),
    **dict.fromkeys(words("otp totp pin cvv cvc mfa"), "one_time_code"),
}
_STRONG = {"pepper": "secret", "jwt": "token", "bearer": "token", "mnemonic": "recovery_phrase"}
_CODES = ("cvv", "cvc", "otp", "totp", "pin", "mfa")
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_WORD = re.compile(r"[^\W_]{1,80}")
_TRAILING_DIGITS = re.compile(r"(?<=[a-z])[0-9]{1,2}$")


def secrecy(name: str) -> Secrecy | None:
    """What a value under this name would be, or None for an ordinary name. Not to be asked about a value, for names of
    letters alone are remembered."""
    letters = name.replace("_", "").replace("-", "").isalpha()
    return _remembered(name) if letters and len(name) <= 40 else judge(name)


def judge(name: str) -> Secrecy | None:
    """The same of a name that may be a secret itself: nothing of it is remembered."""
    words = [_TRAILING_DIGITS.sub("", word) for word in _WORD.findall(_CAMEL.sub("_", name).lower())]
    while len(words) > 1 and (words[-1] in _QUALIFIERS or words[-1].isdecimal()):
        words.pop()
    if not words:
        return None
    last, owner = words[-1], words[-2] if len(words) > 1 else ""
    if owner in _NOT_TOKENS or words[0] in ("is", "has", "show", "hide", "no", "forgot", "needs"):
        return None
    if last in ("key", "keys"):
        return _key(last, owner)
    return _noun(last, owner)


_remembered = lru_cache(maxsize=4096)(judge)


def _key(last: str, owner: str) -> Secrecy | None:
    if owner in _HARMLESS_KEYS:
        return None
    if owner == "private":
        return Secrecy("private_key", strong=True)
    return Secrecy("api_key", strong=owner in _KEY_OWNERS and last == "key")


def _noun(last: str, owner: str) -> Secrecy | None:
    if last in _PASSWORDS:
        return Secrecy("password", strong=True)
    if last in _STRONG:
        return Secrecy(_STRONG[last], strong=True)
    if last == "phrase" and owner in ("seed", "recovery", "mnemonic"):
        return Secrecy("recovery_phrase", strong=True)
    if last in ("pass", "pw") and owner:
        return Secrecy("password", strong=True)
    for ending, kind in _ENDINGS:
        if last.endswith(ending):
            return Secrecy(kind, strong=True)
    if last == "id" and owner in ("session", "sess"):
        return Secrecy("token", strong=False)
    if last == "auth" and owner in ("redis", "redisdb", "rediscli", "http", "basic"):
        return Secrecy("token", strong=True)
    if last == "code" and owner in _CODES:
        return Secrecy("one_time_code", strong=False)
    return Secrecy(_WEAK[last], strong=False) if last in _WEAK else None
