"""No pattern can run away: every repetition has an end, and repetitions inside repetitions stay small."""

import importlib
import pkgutil
import re
from collections.abc import Iterator
from re import _constants, _parser
from typing import Any

import pytest

import neotoma.redaction
from neotoma.redaction import tokens
from neotoma.redaction.vendors import VENDORS

MOST_COMBINED = 40_000


def patterns() -> Iterator[tuple[str, re.Pattern[str]]]:
    for module in pkgutil.iter_modules(neotoma.redaction.__path__):
        space = vars(importlib.import_module(f"neotoma.redaction.{module.name}"))
        yield from ((f"{module.name}.{name}", found) for name, value in space.items() for found in inside(value))
    for vendor in VENDORS:
        for prefix in vendor.prefixes.split():
            yield from ((f"vendor {prefix}", pattern) for pattern, _ in tokens._families(prefix))


def inside(value: object) -> Iterator[re.Pattern[str]]:
    if isinstance(value, re.Pattern):
        yield value
    elif isinstance(value, dict):
        yield from (found for item in value.values() for found in inside(item))
    elif isinstance(value, tuple | list):
        yield from (found for item in value for found in inside(item))


ALL = dict(patterns())
REPEATS = (_constants.MAX_REPEAT, _constants.MIN_REPEAT, _constants.POSSESSIVE_REPEAT)


def combined(parsed: Any) -> int:
    """The most characters' worth of ways in which repetitions that contain each other can combine."""
    most = 1
    for op, argument in parsed:
        if op in REPEATS:
            _, high, body = argument
            assert high != _constants.MAXREPEAT, "a repetition without an end"
            own = 1 if op is _constants.POSSESSIVE_REPEAT and high > 1 else high
            most = max(most, own * combined(body))
        else:
            most = max([most, *(combined(body) for body in bodies(op, argument))])
    return most


def bodies(op: Any, argument: Any) -> list[Any]:
    if op is _constants.BRANCH:
        return list(argument[1])
    if op is _constants.SUBPATTERN:
        return [argument[3]]
    if op in (_constants.ASSERT, _constants.ASSERT_NOT):
        return [argument[1]]
    if op is _constants.ATOMIC_GROUP:
        return [argument]
    return []


def test_the_scan_sees_the_patterns() -> None:
    assert len(ALL) > 250
    assert {"assignments._PAIR", "jwt._TOKEN", "vendor ghp_", "prose._STATED", "infixes.INFIXES"} <= set(ALL)


@pytest.mark.parametrize("endless", ["a*", "(?:a{1,3}b+){2}", "(?=a+)"])
def test_the_scan_finds_repetitions_without_an_end(endless: str) -> None:
    with pytest.raises(AssertionError, match="without an end"):
        combined(_parser.parse(endless))


def test_the_scan_finds_repetitions_that_multiply() -> None:
    assert combined(_parser.parse("(?:(?:a{1,300}){1,300}){1,300}")) > MOST_COMBINED


@pytest.mark.parametrize("name", ALL)
def test_every_repetition_has_an_end(name: str) -> None:
    assert combined(_parser.parse(ALL[name].pattern, ALL[name].flags)) <= MOST_COMBINED
