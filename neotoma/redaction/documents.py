"""JSON documents in a text. One stays a document when nothing changes but the insides of its strings, escape by escape,
and whole numbers, which become strings."""

import json
import re
from collections.abc import Iterator
from typing import NamedTuple

from neotoma.redaction.quotes import is_json

_LEXEME = re.compile(r"\\.|\"|-?[0-9][0-9.eE+\-]{0,400}", re.DOTALL)
_BEGIN = re.compile(r"\{\s{0,64}\"|\[\s{0,64}[\[{\"]")
# Numbers stay as they are written: Python reads no integer of more than 4,300 digits.
_DECODER = json.JSONDecoder(parse_int=str, parse_float=str)


class Lexeme(NamedTuple):
    """Characters `start` to `end`: the inside of a string, or a number."""

    start: int
    end: int
    is_number: bool


def lexemes(document: str) -> Iterator[Lexeme]:
    opened: int | None = None
    for found in _LEXEME.finditer(document):
        sign = found[0][0]
        if sign == '"':
            if opened is not None:
                yield Lexeme(opened, found.start(), is_number=False)
            opened = found.end() if opened is None else None
        elif opened is None and sign != "\\":
            yield Lexeme(*found.span(), is_number=True)


def documents(text: str) -> Iterator[tuple[int, int]]:
    """Where documents start and end in the text, in order: all of it, or objects and lists within it."""
    if is_json(text) and _is_document(text):
        yield 0, len(text)
        return
    at = 0
    while begin := _BEGIN.search(text, at):
        try:
            at = _DECODER.raw_decode(text, begin.start())[1]
            yield begin.start(), at
        except json.JSONDecodeError as error:
            # What was read in vain is not read again, so that the time stays linear.
            at = max(error.pos, begin.start() + 1)
        except RecursionError:
            return


def _is_document(text: str) -> bool:
    try:
        _DECODER.decode(text)
    except (json.JSONDecodeError, RecursionError):
        return False
    return True
