"""Check digits: what passes is a number of its kind, what fails is somebody's order id."""

import pytest

from neotoma.redaction.identities import cpf, dni
from neotoma.redaction.numbers import iban_sums, is_card, luhn


@pytest.mark.parametrize("digits", ["4111111111111111", "378282246310005", "5555555555554444", "30569309025904"])
def test_cards(digits: str) -> None:
    assert is_card(digits, grouped=False)
    assert not is_card(digits[:-1] + str((int(digits[-1]) + 1) % 10), grouped=False)


@pytest.mark.parametrize("digits", ["0000000000000000", "1234567812345670", "79927398713", "4222222222222"])
def test_numbers_of_no_issuer_or_length(digits: str) -> None:
    assert luhn(digits)
    assert not is_card(digits, grouped=True)


def test_long_cards_need_groups() -> None:
    assert is_card("6759649826438453019"[:16], grouped=False)
    assert is_card("4000000000000000006", grouped=True)
    assert not is_card("4000000000000000006", grouped=False)


def test_iban() -> None:
    assert iban_sums("GB82WEST12345698765432")
    assert iban_sums("es9121000418450200051332")
    assert not iban_sums("GB82WEST12345698765433")


def test_spanish_and_brazilian_numbers() -> None:
    assert dni("12345678", "Z")
    assert dni("X1234567", "L")
    assert not dni("12345678", "A")
    assert cpf([1, 1, 1, 4, 4, 4, 7, 7, 7, 3, 5])
    assert not cpf([1] * 11)
