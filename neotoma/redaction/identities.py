"""National identity numbers: those that prove themselves by a check digit, and others beside their name."""

import re
from collections.abc import Iterator

from neotoma.redaction.rules import LONG_WORD, NUMBER, shown_by
from neotoma.redaction.spans import Span
from neotoma.redaction.views import View
from neotoma.redaction.words import any_of

_DNI = re.compile(
    r"(?<![\w.\-#])(?P<number>[XYZ][ \-]?[0-9]{7}|[0-9]{8}|[0-9]{2}\.[0-9]{3}\.[0-9]{3})[ \-]?"
    r"(?P<letter>[A-HJ-NP-TV-Z])(?![\w])"
)
_CPF = re.compile(r"(?<![\w.\-])[0-9]{3}\.[0-9]{3}\.[0-9]{3}-[0-9]{2}(?![\w])")
# Given name, birthday, place, check letter of an Italian tax code; the same and the sex of a Mexican.
_LETTERED = re.compile(
    r"(?<![\w\-])(?:[A-Z]{6}[0-9]{2}[A-EHLMPRST][0-9]{2}[A-Z][0-9]{3}[A-Z]|[A-Z]{4}[0-9]{6}[HM][A-Z]{5}[0-9A-Z][0-9])(?![\w\-])"
)
_AFTER_NAME = r"(?:[ ](?i:number|num|no|nr|is|id)|[\s.:=#\"'\\]){0,6}"
_SSN = r"(?!000|666|9)[0-9]{3}[ \-]?(?!00)[0-9]{2}[ \-]?(?!0000)[0-9]{4}"
_NINO = r"[A-Za-z]{2}[ ]?(?:[0-9]{2}[ ]?){3}[A-Da-d]"
# Seven digits or more, single separators between them, letters at the most at both ends.
_ANY = r"[A-Z]{0,3}[ ]?[0-9](?:[ .\-/]?[0-9]){6,16}[ \-]?[A-Z]{0,2}"
_BY_NAME = {
    name: re.compile(rf"{_AFTER_NAME}(?P<secret>{number})(?!\w)")
    for names, number in (
        (("ssn", "social security"), _SSN),
        (("nino", "national insurance", "ni number"), _NINO),
        (
            (
                "passport", "aadhaar", "pesel", "bsn", "cpf", "nhs number", "insee", "taxpayer", "tax id", "steuer-id",
                "steuerid", "steueridentifikationsnummer", "national id", "national identity", "driver's license",
                "driver's licence", "driver license", "driver licence", "drivers license", "drivers licence",
                "driving license", "driving licence", "codice fiscale", "curp",
            ),
            _ANY,
        ),
    )
    for name in names
}  # fmt: skip
_NAME = re.compile(any_of(_BY_NAME))


@shown_by(NUMBER)
def find(view: View) -> Iterator[Span]:
    """Spanish DNI and NIE and Brazilian CPF by their check digits."""
    for start, end, _ in view.numbers:
        for found in _DNI.finditer(view.text, start, end):
            if dni(found["number"], found["letter"]):
                yield Span(*found.span(), "national_id")
        for found in _CPF.finditer(view.text, start, end):
            if cpf([int(c) for c in found[0] if c.isdecimal()]):
                yield Span(*found.span(), "national_id")


@shown_by(LONG_WORD)
def find_lettered(view: View) -> Iterator[Span]:
    """Tax codes of Italy and Mexico, which no other word looks like."""
    for word in view.long_words:
        for found in () if word.text == word.text.lower() else _LETTERED.finditer(view.text, word.start, word.end):
            yield Span(*found.span(), "national_id")


@shown_by(
    "ssn", "social", "nino", "surance", "ni number", "passport", "aadhaar", "pesel", "bsn", "cpf", "nhs number",
    "insee", "taxpayer", "tax id", "steuer", "tional id", "licen", "codice", "curp",
)  # fmt: skip
def find_named(view: View) -> Iterator[Span]:
    for name in _NAME.finditer(view.lower):
        found = _BY_NAME[name[0]].match(view.text, name.end())
        if found is not None:
            yield Span(*found.span("secret"), "national_id")


def dni(number: str, letter: str) -> bool:
    digits = number[0].translate(str.maketrans("XYZ", "012")) + number[1:].lstrip(" -").replace(".", "")
    return "TRWAGMYFPDXBNJZSQVHLCKE"[int(digits) % 23] == letter


def cpf(digits: list[int]) -> bool:
    for size in (9, 10):
        total = sum(digit * weight for digit, weight in zip(digits, range(size + 1, 1, -1), strict=False))
        if digits[size] != total * 10 % 11 % 10:
            return False
    return len(set(digits)) > 1
