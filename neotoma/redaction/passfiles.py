"""Lines of a PostgreSQL password file: `host:port:database:user:password`."""

import re
import string
from collections.abc import Iterator

from neotoma.redaction import shapes
from neotoma.redaction.rules import shown_by
from neotoma.redaction.spans import Span
from neotoma.redaction.views import View

_HOST_CHARACTERS = string.ascii_letters + string.digits + "._-/*"
_LONGEST_HOST = 253  # characters
# What has any port must look like a host, or a key such as cart:*:user:item:total would be a line.
_CERTAIN_HOST = re.compile(r"\*|localhost|(?:[\w\-]{1,63}\.){1,8}[\w\-]{1,63}")
_NAME = r"(?:\*|[^\W\d][\w.$\-]{0,62})"
# Ports of PostgreSQL, its poolers and its relatives: other numbers are a line and a column in a report.
_AFTER_HOST = re.compile(
    rf":(?P<port>54[0-9]{{2}}|64[0-9]{{2}}|6543|26257|\*):{_NAME}:{_NAME}"
    r":(?P<secret>(?:\\[:\\]|[^\s:\\\"'`<>\ufffc]){1,256}+)(?!:)"
)


@shown_by(":54", ":64", ":65", ":262", ":*:")
def find(view: View) -> Iterator[Span]:
    for line in _AFTER_HOST.finditer(view.text):
        if _has_host(view.text, line) and not shapes.placeholder(line["secret"]):
            yield Span(*line.span("secret"), "password")


def _has_host(text: str, line: re.Match[str]) -> bool:
    before = text[max(0, line.start() - _LONGEST_HOST - 1) : line.start()]
    lead = before.rstrip(_HOST_CHARACTERS)
    host = before[len(lead) :]
    if not host or host.isdecimal() or lead.endswith(":"):
        return False
    return line["port"] != "*" or _CERTAIN_HOST.fullmatch(host) is not None
