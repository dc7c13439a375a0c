"""Passwords in the short flags of known commands: `mysql -pX`, `sshpass -p X`, `curl -u user:X`, `redis-cli -a X`."""

import re
from collections.abc import Iterator

from neotoma.redaction import shapes
from neotoma.redaction.rules import shown_by
from neotoma.redaction.spans import Span
from neotoma.redaction.views import View
from neotoma.redaction.words import any_of

# A quote before a comma ends the command that stands in a string.
_VALUE = (
    r"(?:\\{0,3}\"(?P<double>[^\"\n\\,:\]}][^\"\n\\]{0,255})|'(?P<single>[^'\n]{1,256})"
    r"|(?P<bare>[^\s\"'`\\<>|;&\ufffc]{1,256}))"
)
_PAIR = r"\\{0,3}[\"']?[^\s:\"']{0,128}:(?P<bare>[^\s\"'\\\ufffc]{1,256})"
_GLUED_P = re.compile(rf"(?<=\s)-p{_VALUE}")
_SPACED_P = re.compile(rf"(?<=\s)-p[ =]{{1,3}}{_VALUE}")
_ANY_P = re.compile(rf"(?<=\s)-p[ ]{{0,3}}{_VALUE}")
_BIG_P = re.compile(rf"(?<=\s)-P[ ]{{0,3}}{_VALUE}")
_USER = re.compile(rf"(?<=\s)(?:-u|-U|-a|--user|--auth|--proxy-user|--http-user)[ =]{{0,3}}{_PAIR}")

_AS_ONE_WORD = re.compile(rf"(?<=\s)(?:-a|--pass)[ =]{{1,3}}{_VALUE}")
_COMMANDS: tuple[tuple[str, re.Pattern[str]], ...] = (
    ("mysql mysqldump mysqladmin mysqlimport mysqlcheck mysqlshow mysqlbinlog mysqlsh mariadb", _GLUED_P),
    ("mariadb-dump mariadb-admin 7z 7za 7zz rar unrar", _GLUED_P),
    ("sshpass", _ANY_P),
    (
        "docker.login podman.login nerdctl.login buildah.login skopeo.login helm.login registry.login az.login",
        _SPACED_P,
    ),
    ("oc.login cf.login ibmcloud.login mongo mongosh mongodump mongorestore mongoexport mongoimport", _SPACED_P),
    ("psexec influx evil-winrm crackmapexec winexe rdesktop", _SPACED_P),
    ("snmpwalk snmpget snmpset", re.compile(rf"(?<=\s)-[AX][ ]{{1,3}}{_VALUE}")),
    ("wpa_passphrase", re.compile(rf"[ ][^\s\"']{{1,64}}[ ]{_VALUE}")),
    ("sqlcmd bcp zip unzip isql tsql osql ipmitool", _BIG_P),
    ("redis-cli valkey-cli keydb-cli", _AS_ONE_WORD),
    ("curl wget http https xh aria2c cadaver", _USER),
    ("lftp", re.compile(r"(?<=\s)(?:-u|--user)[ =]{1,3}[\"']?[^\s:,\"']{1,128}[:,](?P<bare>[^\s\"'\\\ufffc]{1,256})")),
    ("ldapsearch ldapmodify ldapadd ldapwhoami ldapdelete ldappasswd", re.compile(rf"(?<=\s)-w[ ]{{0,3}}{_VALUE}")),
    (
        "smbclient rpcclient smbget smbmap mount.cifs",
        re.compile(r"(?<=\s)-U[ ]{0,3}[\"']?[^%\s\"']{1,64}%(?P<bare>[^\s\"']{1,128})"),
    ),
    ("openssl", re.compile(r"(?<=\s|\")pass:(?P<bare>[^\s\"'`\\]{1,128})")),
    ("htpasswd", re.compile(rf"(?<=\s)-\w{{0,4}}b\w{{0,4}}[ ]\S{{1,128}}[ ]\S{{1,128}}[ ]{_VALUE}")),
    ("xfreerdp wfreerdp cmdkey", re.compile(r"(?<=\s)/p(?:ass)?:(?P<bare>[^\s\"']{1,128})")),
    (
        "net",
        re.compile(r"(?<=\s)(?:/p(?:ass)?:(?P<bare>[^\s\"']{1,128})|(?P<single>[^\s\"'/\\*]{4,128})(?=[ ]/user:))"),
    ),
    ("vault.login", re.compile(r"[ ](?=[^\s=]{0,64}[0-9])(?P<bare>[^\s\-=][^\s=]{7,256})(?!\S)")),
    ("rabbitmqctl", re.compile(rf"(?:change_password|add_user|authenticate_user)[ ]\S{{1,64}}[ ]{_VALUE}")),
    ("ConvertTo-SecureString", re.compile(r"(?:-String[ ])?[\"'](?P<bare>[^\"'\n]{1,256})[\"']")),
    ("requirepass masterauth", re.compile(r"[ \t]{1,4}[\"']?(?P<bare>[^\s\"']{4,256})")),
    (
        "IDENTIFIED",
        re.compile(r"(?i)(?:[ ]WITH[ ]\w{1,40})?[ ](?:BY|AS)[ ](?:PASSWORD[ ])?[\"'](?P<bare>[^\"'\n]{1,256})[\"']"),
    ),
)
_FLAGS = {name.replace(".", " "): flag for names, flag in _COMMANDS for name in names.split()}
_NAME = re.compile(r"(?<![\w.\-])" + any_of(_FLAGS) + r"(?:\.exe)?(?![\w\-]|:/)")
_PIPED = re.compile(
    rf"(?<![\w\-])(?:echo|printf)(?:[ ](?:-\w{{1,2}}|[\"']?%s(?:\\n)?[\"']?)){{0,2}}[ ]{{1,3}}{_VALUE}[\"']?[ ]?\|"
    r"[^\n|]{0,160}?"
    r"(?:--(?:password-)?stdin|--with-token|sudo[ ](?:-\w{1,2}[ ])?-S|chpasswd)"
)
_LINE = re.compile(r"(?:[^\n|;&\\]|\\(?!n)\n?|&(?!&)|;(?! )){0,400}+")
_BEFORE_FLAG = (
    " -",
    " /",
    "login ",
    "pass:",
    "--pass",
    "SecureString",
    "IDENTIFIED",
    "requirepass",
    "wpa_passphrase",
    "masterauth",
    "rabbitmqctl",
)


@shown_by(" -", " /p", " /u", "login", "pass", "auth", "securestring", "tified by", "tified with", "abbitmqctl")
def find(view: View) -> Iterator[Span]:
    if not any(flag in view.text for flag in _BEFORE_FLAG):
        return
    seen: dict[re.Pattern[str], int] = {}
    end = 0
    for command in _NAME.finditer(view.text):
        if command.end() >= end:
            line = _LINE.match(view.text, command.end())
            end = line.end() if line else command.end()
        flag = _FLAGS[command[0].removesuffix(".exe")]
        for found in flag.finditer(view.text, max(command.end(), seen.get(flag, 0)), end):
            yield from _value(found)
        seen[flag] = end


@shown_by("-stdin", "--with-token", "sudo -s", "passwd")
def find_piped(view: View) -> Iterator[Span]:
    """`echo X | docker login --password-stdin`."""
    for found in _PIPED.finditer(view.text):
        yield from _value(found)


def _value(found: re.Match[str]) -> Iterator[Span]:
    group = next(name for name, value in found.groupdict().items() if value is not None)
    value = found[group]
    if not shapes.placeholder(value.rstrip(")]}.,;:!?")) and not value.startswith("-"):
        yield Span(*found.span(group), "password")
