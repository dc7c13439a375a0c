"""Telephone numbers: international ones, North American ones in their usual form, others beside a word that says so."""

import re
from collections.abc import Iterator

from neotoma.redaction.rules import NUMBER, shown_by
from neotoma.redaction.spans import Span
from neotoma.redaction.views import View
from neotoma.redaction.words import words

_COUNTRY = (
    r"(?:1|7|2[07]|3[0-469]|4[013-9]|5[1-8]|6[0-6]|8[1246]|9[0-58]"
    r"|2[1-689][0-9]|3[578][0-9]|42[0-9]|5[09][0-9]|6[789][0-9]|8[0578][0-9]|9[679][0-9])"
)
_GROUPS = r"(?:[ .\-/]{0,3}\(?[0-9]{1,5}\)?){2,7}"
_INTERNATIONAL = re.compile(
    rf"(?<![\w+.\-/])(?:\+[ ]?(?={_COUNTRY})|00(?={_COUNTRY}[ .\-])|\((?:\+|00)(?={_COUNTRY}\)))[1-9][0-9]{{0,2}}\)?"
    rf"(?:[ ]?\(0\))?{_GROUPS}(?!\w)"
)
_NORTH_AMERICAN = re.compile(
    r"(?<![\w.\-+/#])(?:1[ .\-])?(?:\([2-9][0-9]{2}\)[ ]?|[2-9][0-9]{2}[\-.])[2-9][0-9]{2}[\-. ][0-9]{4}"
    r"(?!\w|[\-.][0-9])"
)


def _either(text: str) -> str:
    return "(?:" + "|".join(sorted(words(text), key=len, reverse=True)) + ")"


_NOUNS = _either(
    """tel telf tlf tfno tlfn fax mobile mobil cell cellulare cellular m\u00f3vil movil
    tel\u00e9fono telefono t\u00e9l\u00e9phone
    telephone telefon telefone telefonnummer telefoon handy handynummer celular telem\u00f3vel telemovel
    portable whatsapp sms rufnummer mobiltelefon ph msisdn signal puhelin
    \u0442\u0435\u043b \u0442\u0435\u043b\u0435\u0444\u043e\u043d"""
)
_UNSPACED = _either("\u7535\u8bdd \u624b\u673a \u96fb\u8a71 \u643a\u5e2f \uc804\ud654")  # Chinese, Japanese, Korean
_VERBS = _either(
    """call ring dial reach text contact phone llama ll\u00e1mame llamadme llamar appelez appelle ruf rufen chiama
    chiamami ligue liga"""
)
_TO = _either(
    """me us him her them back on at al a moi mich an sie bitte please the office support number now para o le au
    unter"""
)
_BETWEEN = _either(
    """number num no nr n\u00famero numero n\u00ba no nummer num\u00e9ro line me us on at is es al est ist to my our de
    contacto the personal work home movil m\u00f3vil e164 primary contact"""
)
_FILLER = rf"(?:[ _\-]?{_BETWEEN}(?![^\W_])|[\s.:=#()>\-*]|\\{{0,7}}[\"']){{0,10}}"
_NUMBER = re.compile(
    r"(?<![^\W_])(?<![0-9][ .\-/()])(?<![0-9][ .\-/()]{2})"
    r"\(?\+?[0-9](?:[ .\-/()]{0,3}[0-9]){6,14}(?![^\W_]|[.\-:][0-9])"
)
_WORD_BEFORE = re.compile(
    rf"(?i)(?:phone|(?<![^\W_]){_NOUNS}(?![^\W_])|{_UNSPACED}|(?<![^\W_]){_VERBS}(?:me)?(?:[ ]{_TO}){{1,4}}"
    rf"|wa\.me/|tel:){_FILLER}$"
)
_LETTERS = re.compile(r"[^\W\d_]{2}")
_DATE = re.compile(r"(?:19|20)[0-9]{2}[\-/. ]?(?:0[1-9]|1[0-2])[\-/. ]?(?:0[1-9]|[12][0-9]|3[01])(?![0-9])")
_DOTTED_QUAD = re.compile(r"[0-9]{1,3}(?:\.[0-9]{1,3}){3}|[0-9]{1,5}\.[0-9]{1,10}")


@shown_by(NUMBER)
def find(view: View) -> Iterator[Span]:
    for start, end, number in view.numbers:
        for found in _INTERNATIONAL.finditer(view.text, start, end):
            if _is_international(found[0]):
                yield Span(*found.span(), "phone")
        for found in _NORTH_AMERICAN.finditer(view.text, start, end) if len(number) >= 12 else ():
            yield Span(*found.span(), "phone")
        yield from _named(view.text, start, end)


def _named(text: str, start: int, end: int) -> Iterator[Span]:
    """Numbers behind a word such as `tel`: the word lies before the run of digits."""
    first = _NUMBER.search(text, start, end)
    before = text[max(0, first.start() - 48) : first.start()] if first else ""
    if _LETTERS.search(before) and _WORD_BEFORE.search(before):
        for found in _NUMBER.finditer(text, start, end):
            if _is_number(found[0]):
                yield Span(*found.span(), "phone")


def _is_international(number: str) -> bool:
    """8 to 15 digits; an ungrouped run needs 10, and a single dot makes a decimal fraction."""
    digits = sum(c.isdecimal() for c in number)
    grouped = any(c in " -/()" for c in number[1:].strip()) or number.count(".") >= 2
    return (8 if grouped else 10) <= digits <= 15 and not (
        number.count(".") == 1 and not any(c in " -/(" for c in number[1:])
    )


def _is_number(number: str) -> bool:
    digits = sum(c.isdecimal() for c in number)
    return 7 <= digits <= 15 and not _DATE.match(number.lstrip("(+")) and not _DOTTED_QUAD.fullmatch(number)
