"""Tables whose heading names a column of secrets: fields with commas, semicolons or tabs between them."""

import re
from collections.abc import Generator, Iterator
from typing import NamedTuple

from neotoma.redaction import shapes, values
from neotoma.redaction.hints import NAMES
from neotoma.redaction.names import Secrecy, secrecy
from neotoma.redaction.rules import shown_by
from neotoma.redaction.spans import Span
from neotoma.redaction.views import View

_NAMES = frozenset(NAMES)
_LONGEST_HEADING = 2000  # characters
_LEAD = re.compile(r"[ \t>]{0,24}+")
_TITLE = r"\"?[^\W\d][\w.\-]{0,40}(?: [\w.\-]{1,40}){0,3}\"?"
# Nothing stands between a separator and the next title: a list in a sentence has a space there.
_HEADING = re.compile(rf"{_TITLE}(?P<sign>[,;\t]){_TITLE}(?:(?P=sign){_TITLE}){{0,60}}")
_FIELDS = {
    sign: re.compile(
        r"(?:\"(?P<quoted>(?:[^\"]|\"\"){0,4096}+)\""
        rf"|(?P<bare>(?:(?! )[^{sign}\r\n]{{1,4096}}+)?+))(?P<end>{sign}|\r?\n|\Z)"
    )
    for sign in (",", ";", "\t")
}


class Heading(NamedTuple):
    """`columns` of secrets by their place, counted from 0, among `width`."""

    sign: str
    width: int
    columns: dict[int, Secrecy]


class Row(NamedTuple):
    """The `fields` in columns of secrets, by place, and where the next row begins."""

    fields: dict[int, values.Value]
    end: int


@shown_by(*NAMES)
def find(view: View) -> Iterator[Span]:
    text, done = view.text, 0
    for at, word in view.words if "\n" in text else ():
        if at < done or word not in _NAMES:
            continue
        start, end = text.rfind("\n", done, at) + 1, text.find("\n", at)
        if end == -1:
            break
        done = end + 1
        line = text[max(start, done - _LONGEST_HEADING) : end]
        heading = read(line) if any(sign in line for sign in _FIELDS) else None
        if heading:
            done = yield from _rows(text, done, heading)


def read(line: str) -> Heading | None:
    """The heading that a line is, where it names a secret."""
    titles = _LEAD.sub("", line, count=1).rstrip()
    found = _HEADING.fullmatch(titles)
    if found is None:
        return None
    names = titles.split(found["sign"])
    kinds = {place: secrecy(name.strip('"')) for place, name in enumerate(names)}
    columns = {place: kind for place, kind in kinds.items() if kind and kind.strong}
    return Heading(found["sign"], len(names), columns) if columns else None


def _rows(text: str, at: int, heading: Heading) -> Generator[Span, None, int]:
    """What stands in the columns of the rows; returns where they end."""
    while at < len(text):
        end = text.find("\n", at)
        line = text[at : end if end != -1 else len(text)]
        row = _quoted(text, at, heading) if '"' in line else _plain(line, at, heading)
        if row is None:
            break
        for place, field in row.fields.items():
            if _hideable(text, field, heading.columns[place]):
                yield Span(field.start, field.end, heading.columns[place].kind)
        at = row.end
    return at


def _plain(line: str, at: int, heading: Heading) -> Row | None:
    """A row without a quote, which most are. After a separator a sentence has a space."""
    parts = line.rstrip("\r").split(heading.sign)
    if len(parts) != heading.width or line[0] == " " or f"{heading.sign} " in line:
        return None
    fields = {}
    for place in heading.columns:
        start = at + place + sum(map(len, parts[:place]))
        fields[place] = values.Value(start, start + len(parts[place]), quoted=False)
    return Row(fields, at + len(line) + 1)


def _quoted(text: str, at: int, heading: Heading) -> Row | None:
    """A row where fields stand in quotes, and may hold separators and ends of lines."""
    fields: dict[int, values.Value] = {}
    for place in range(heading.width):
        found = _FIELDS[heading.sign].match(text, at)
        if found is None or (found["end"] == heading.sign) is (place == heading.width - 1):
            return None
        if place in heading.columns:
            quoted = found["quoted"] is not None
            fields[place] = values.Value(*found.span("quoted" if quoted else "bare"), quoted=quoted)
        at = found.end()
    return Row(fields, at)


def _hideable(text: str, field: values.Value, secret: Secrecy) -> bool:
    """A password is anything; a column of tokens may hold words or counts as well."""
    content = text[field.start : field.end]
    if secret.kind != "password":
        return shapes.looks_random(content, 12)
    return bool(content) and values.hideable(content, secret, quoted=field.quoted or " " in content, stated=True)
