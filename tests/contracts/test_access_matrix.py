"""Every operation, every kind of caller, over REST and MCP: what happens is what the table says."""

from __future__ import annotations

from collections.abc import Mapping

import pytest
from django.db import transaction

from neotoma.operations.registry import operations
from tests.contracts.access_matrix import BY_ARGUMENT, EXAMPLES, MATRIX, expected, expected_by_argument
from tests.contracts.surfaces import SURFACES
from tests.contracts.world import World, build

Differences = dict[tuple[str, str], str]


def test_every_operation_has_a_row_and_an_example() -> None:
    assert sorted(MATRIX) == sorted(operations())
    assert sorted(EXAMPLES) == sorted(MATRIX)


def test_the_operations_that_take_a_guest_token_are_those_of_the_table() -> None:
    assert sorted(op.name for op in operations().values() if op.takes_guest_token) == sorted(BY_ARGUMENT)


@pytest.mark.django_db
@pytest.mark.parametrize("surface", SURFACES)
def test_what_happens_is_what_the_table_says(surface: str) -> None:
    world, different = build(), Differences()
    for name in MATRIX:
        wanted = expected(name)
        happened = {who: _try(world, name, surface, world.tokens[who]) for who in wanted}
        different |= _differences(name, wanted, happened)
    assert different == {}


@pytest.mark.django_db
@pytest.mark.parametrize("surface", SURFACES)
@pytest.mark.parametrize("header", ["anonymous", "operator"])
def test_a_guest_token_among_the_arguments_wins_and_never_falls_back(header: str, surface: str) -> None:
    world, different = build(), Differences()
    for name in BY_ARGUMENT:
        wanted, token = expected_by_argument(name), world.tokens[header]
        happened = {who: _try(world, name, surface, token, guest_access_token=world.tokens[who]) for who in wanted}
        different |= _differences(name, wanted, happened)
    assert different == {}


def _try(world: World, name: str, surface: str, token: str | None, **more: object) -> str:
    """What comes of one call, which leaves nothing behind."""
    with transaction.atomic():
        outcome = SURFACES[surface](operations()[name], {**EXAMPLES[name](world), **more}, token)
        transaction.set_rollback(True)
    return outcome


def _differences(name: str, wanted: Mapping[str, str], happened: Mapping[str, str]) -> Differences:
    return {
        (name, who): f"{happened[who]}, but the table says {wanted[who]}"
        for who in wanted
        if happened[who] != wanted[who]
    }
