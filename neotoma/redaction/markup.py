"""Names that stand in markup: XML elements, property lists, and pairs such as `name: DB_PASSWORD, value: X`."""

import re
from collections.abc import Iterator

from neotoma.redaction import values
from neotoma.redaction.hints import NAMES
from neotoma.redaction.names import secrecy
from neotoma.redaction.quotes import is_json
from neotoma.redaction.rules import shown_by
from neotoma.redaction.spans import Span
from neotoma.redaction.views import View

_TAG = re.compile(
    r"<(?:[\w\-]{1,40}:)?(?P<name>[\w.\-]{2,80}+)(?:[ \t][^<>\n]{0,200}+)?>(?P<value>[^<>\n]{1,2048}+)(?=<)"
)
_PLIST = re.compile(r"<key>(?P<name>[\w.\- ]{2,80}+)</key>\s{0,24}<string>(?P<value>[^<>\n]{1,2048}+)</string>")
_Q = r"\\{0,7}[\"']?"
_IS = r"[ ]{0,4}[:=][ ]{0,4}"
_NAMED = re.compile(
    rf"(?<![^\W_])(?:(?:name|key|id|variable|env|field|param|header){_Q}{_IS}|variable[ ])"
    rf"{_Q}(?P<name>[\w.\-]{{2,80}}+){_Q}[ \t]{{0,8}}(?:[,;{{\n]|\r\n|(?=[ ]))[\s\-]{{0,40}}"
    rf"(?:{_Q}\w{{2,16}}{_Q}{_IS}[\w\"']{{1,24}}[,;]?\s{{1,40}}){{0,2}}{_Q}(?:value|default|val){_Q}{_IS}",
    re.IGNORECASE,
)


@shown_by("</")
def find_tags(view: View) -> Iterator[Span]:
    """`<password>X</password>`, and the pairs of a property list."""
    for pattern in (_TAG, _PLIST):
        for tag in pattern.finditer(view.text):
            secret, value = secrecy(tag["name"]), tag["value"]
            if not secret or (is_json(view.text) and '"' in value.replace('\\"', "")):
                continue
            if values.hideable(value, secret, quoted=True, stated=True):
                yield Span(*tag.span("value"), secret.kind)


@shown_by(*NAMES)
def find_named(view: View) -> Iterator[Span]:
    """`name: DB_PASSWORD, value: X`: the name is itself a value."""
    if "value" not in view.lower and "default" not in view.lower:
        return
    for named in _NAMED.finditer(view.text):
        secret = secrecy(named["name"])
        value = values.read(view.text, named.end()) if secret else None
        if secret and value:
            content = view.text[value.start : value.end]
            if values.hideable(content, secret, quoted=value.quoted, stated=True):
                yield Span(value.start, values.whole(view.text, value).end, secret.kind)
