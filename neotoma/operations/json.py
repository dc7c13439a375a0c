"""Strict JSON at the edge: what comes in is a value that can be stored exactly, or a refusal that names the place."""

from __future__ import annotations

import json
import math
from collections import Counter
from dataclasses import dataclass
from typing import Any, ClassVar

from neotoma.substrate.errors import Refusal

MAX_BYTES = 1_000_000
MAX_DEPTH = 32
"""Containers inside one another."""
MAX_NODES = 20_000
"""Values in all: objects, arrays and scalars."""
MAX_INTEGER = 2**63 - 1
"""What both databases keep as an integer."""

Place = tuple[Any, Any] | None
"""Where a value is: its container's place and its key, or None for the body itself."""


class Malformed(Refusal):
    """Not JSON, or JSON that means different things to different readers."""

    error_code: ClassVar[str] = "MALFORMED_JSON"
    status = 400
    hint = "Send one JSON value in UTF-8: finite numbers, each key once."


class BodyTooLarge(Refusal):
    """More bytes than a body may have; `details.limit_bytes` says how many."""

    error_code: ClassVar[str] = "PAYLOAD_TOO_LARGE"
    status = 413
    hint = "Send less in one call."


class TooComplex(Refusal):
    """Nested too deeply, or too many values."""

    error_code: ClassVar[str] = "JSON_TOO_COMPLEX"
    status = 422
    hint = f"At most {MAX_DEPTH} levels and {MAX_NODES} values in one call."


class Unstorable(Refusal):
    """Well-formed, but no database keeps it as it is."""

    error_code: ClassVar[str] = "UNSTORABLE_VALUE"
    status = 422
    hint = "Leave out NUL characters and lone surrogates; send larger integers as text."


@dataclass(frozen=True, slots=True)
class _Flaw:
    """Stands in the parsed tree for what must not be there, until its place is known."""

    kind: type[Refusal]
    problem: str
    key: str | None = None


def decode(body: bytes) -> Any:
    """The value of a request body. Raises `Malformed`, `BodyTooLarge`, `TooComplex` or `Unstorable`."""
    return check(parse(body))


def parse(body: bytes) -> Any:
    """The first half of `decode`: size and syntax. What it answers must pass `check` before anyone looks inside."""
    if len(body) > MAX_BYTES:
        raise BodyTooLarge(f"The body has more than {MAX_BYTES} bytes.", details={"limit_bytes": MAX_BYTES})
    try:
        return _DECODER.decode(body.decode())
    except UnicodeDecodeError as error:
        raise Malformed("The body is not UTF-8.", details={"position": error.start}) from None
    except json.JSONDecodeError as error:
        where = {"line": error.lineno, "column": error.colno, "position": error.pos}
        raise Malformed(f"The body is not JSON: {error.msg}.", details=where) from None
    except RecursionError:
        raise TooComplex(f"The body is nested deeper than {MAX_DEPTH} levels.") from None


def check(value: Any) -> Any:
    """The second half of `decode`: the same value, or a refusal with the path of what is wrong."""
    nodes = 0
    waiting: list[tuple[Any, Place, int]] = [(value, None, 1)]
    while waiting:
        item, place, depth = waiting.pop()
        nodes += 1
        if nodes > MAX_NODES:
            raise TooComplex(f"The body holds more than {MAX_NODES} values.")
        if isinstance(item, str):
            _check_text(item, place)
        elif isinstance(item, (dict, list)):
            if depth > MAX_DEPTH:
                raise _at(TooComplex, place, f"is nested deeper than {MAX_DEPTH} levels")
            pairs = item.items() if isinstance(item, dict) else enumerate(item)
            for key, inner in pairs:
                if isinstance(key, str):
                    _check_text(key, place)
                waiting.append((inner, (place, key), depth + 1))
        elif isinstance(item, _Flaw):
            raise _at(item.kind, place if item.key is None else (place, item.key), item.problem)
    return value


def _check_text(text: str, place: Place) -> None:
    if "\0" in text:
        raise _at(Unstorable, place, "holds a NUL character")
    if not text.isascii():
        try:
            text.encode()
        except UnicodeEncodeError:
            raise _at(Unstorable, place, "holds a lone surrogate") from None


def _at(kind: type[Refusal], place: Place, problem: str) -> Refusal:
    path = _path(place)
    return kind(f"{path} {problem}.", details={"fields": [{"path": path, "problem": problem}]})


def _path(place: Place) -> str:
    keys: list[str] = []
    while place is not None:
        place, key = place
        keys.append(str(key).encode(errors="replace").decode().replace("\0", "?")[:80])
    return ".".join(reversed(keys)) or "body"


def _object(pairs: list[tuple[str, Any]]) -> Any:
    made = dict(pairs)
    if len(made) == len(pairs):
        return made
    twice = next(key for key, times in Counter(key for key, _ in pairs).items() if times > 1)
    return _Flaw(Malformed, "is there twice", twice)


def _constant(name: str) -> _Flaw:
    return _Flaw(Malformed, f"is {name}, which is not JSON")


def _float(text: str) -> float | _Flaw:
    number = float(text)
    return number if math.isfinite(number) else _Flaw(Malformed, "is a number too large to hold")


def _integer(text: str) -> int | _Flaw:
    if len(text) > 20 or abs(number := int(text)) > MAX_INTEGER:
        return _Flaw(Unstorable, "is an integer beyond 64 bits")
    return number


_DECODER = json.JSONDecoder(object_pairs_hook=_object, parse_constant=_constant, parse_float=_float, parse_int=_integer)
