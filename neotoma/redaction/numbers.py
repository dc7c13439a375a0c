"""Numbers that prove themselves by a checksum: payment cards (Luhn) and bank accounts (IBAN, mod 97)."""

import re
from collections.abc import Iterator
from functools import cache

from neotoma.redaction.rules import LONG_WORD, NUMBER, shown_by
from neotoma.redaction.spans import Span
from neotoma.redaction.views import View
from neotoma.redaction.words import words

_CARD = re.compile(r"(?<![\w.#\-+])[2-6](?:[ \-.]?[0-9]){12,18}+(?![0-9A-Za-z_]|[\-.][0-9])")
_CARD_GROUPED = re.compile(
    r"(?<![\w.#\-+])(?:[2-6][0-9]{3}(?:[ \-.][0-9]{4}){3}|3[47][0-9]{2}[ \-.][0-9]{6}[ \-.][0-9]{5})(?![0-9A-Za-z_])"
)
# Visa; Mastercard; American Express; Discover; Diners; JCB; UnionPay; Maestro; Mir
_ISSUED = re.compile(
    r"4[0-9]{15}(?:[0-9]{3})?|(?:5[1-5]|222[1-9]|22[3-9]|2[3-6]|27[01]|2720)[0-9]{12,14}|3[47][0-9]{13}"
    r"|(?:6011|64[4-9]|65)[0-9]{12,17}|(?:30[0-5]|3095|36|3[89])[0-9]{10,14}|35(?:2[89]|[3-8][0-9])[0-9]{12}"
    r"|(?:62|81)[0-9]{14,17}|(?:50|5[6-9]|6[037])[0-9]{14,17}|220[0-4][0-9]{12,15}"
)
_DOUBLED = str.maketrans("0123456789", "0246813579")
_AS_NUMBER = {ord(c): str(int(c, 36)) for c in "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"}
_IBAN_HEAD = re.compile(r"[0-9]{2}(?<=(?<![A-Za-z0-9])[A-Za-z]{2}[0-9]{2})(?=[ \-]?[A-Za-z0-9]{4})")
_HEX = re.compile(r"[0-9a-f\-]{15,40}")
_IBAN_LENGTHS = {
    **dict.fromkeys(words("NO"), 15),
    **dict.fromkeys(words("BE"), 16),
    **dict.fromkeys(words("DK FI FK FO GL NL SD"), 18),
    **dict.fromkeys(words("MK SI"), 19),
    **dict.fromkeys(words("AT BA EE KZ LT LU MN XK"), 20),
    **dict.fromkeys(words("CH HR LI LV"), 21),
    **dict.fromkeys(words("BG BH CR DE GB GE IE ME RS VA"), 22),
    **dict.fromkeys(words("AE GI IL IQ OM SO TL"), 23),
    **dict.fromkeys(words("AD CZ ES MD PK RO SA SE SK TN VG"), 24),
    **dict.fromkeys(words("LY PT ST"), 25),
    **dict.fromkeys(words("IS TR"), 26),
    **dict.fromkeys(words("BI DJ FR GR IT MC MR SM"), 27),
    **dict.fromkeys(words("AL AZ BY CY DO GT HN HU LB NI PL SV"), 28),
    **dict.fromkeys(words("BR EG PS QA UA"), 29),
    **dict.fromkeys(words("JO KW MU YE"), 30),
    **dict.fromkeys(words("MT SC"), 31),
    **dict.fromkeys(words("LC"), 32),
    **dict.fromkeys(words("RU"), 33),
}


@shown_by(NUMBER)
def find_cards(view: View) -> Iterator[Span]:
    for start, end, number in view.numbers:
        for pattern in (_CARD, _CARD_GROUPED) if len(number) >= 14 else ():
            for found in pattern.finditer(view.text, start, end):
                if is_card("".join(c for c in found[0] if c.isdecimal()), grouped=not found[0].isdecimal()):
                    yield Span(*found.span(), "card_number")


def is_card(digits: str, *, grouped: bool) -> bool:
    """An issuer's number with the right length and check digit. Ungrouped, 17 to 19 digits are more often an id."""
    if len(digits) < 14 or (len(digits) > 16 and not grouped) or _ISSUED.fullmatch(digits) is None:
        return False
    return luhn(digits)


def luhn(digits: str) -> bool:
    return (sum(map(int, digits[::-2])) + sum(map(int, digits[-2::-2].translate(_DOUBLED)))) % 10 == 0


@shown_by(NUMBER, LONG_WORD)
def find_ibans(view: View) -> Iterator[Span]:
    for head in _IBAN_HEAD.finditer(view.text):
        start = head.start() - 2
        length = _IBAN_LENGTHS.get(view.text[start : start + 2].upper())
        end = _iban_end(view.text, start, length) if length else None
        if end is not None:
            yield Span(start, end, "iban")


@cache
def _of_length(length: int) -> re.Pattern[str]:
    return re.compile(rf"[A-Za-z0-9](?:[ \-]?[A-Za-z0-9]){{{length - 1}}}(?!-?[^\W_])")


def _iban_end(text: str, start: int, length: int) -> int | None:
    """Where an IBAN of this length ends, single separators allowed; None where the checksum fails, or for hex digits,
    every 97th of which would pass it."""
    found = _of_length(length).match(text, start)
    if found is None or (_HEX.fullmatch(found[0]) and not found[0][2:].isdecimal()):
        return None
    return found.end() if iban_sums(found[0].replace(" ", "").replace("-", "")) else None


def iban_sums(iban: str) -> bool:
    return int((iban[4:] + iban[:4]).translate(_AS_NUMBER)) % 97 == 1
