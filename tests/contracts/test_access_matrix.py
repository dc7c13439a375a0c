"""Every operation, every kind of caller, over REST and MCP: what happens is what the table says."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from django.db import transaction
from pytest_django import DjangoDbBlocker

from neotoma.operations.registry import find, operations
from tests.contracts.access_matrix import BY_ARGUMENT, EXAMPLES, MATRIX, expected, expected_by_argument
from tests.contracts.surfaces import SURFACES
from tests.contracts.world import World, build


def test_every_operation_has_a_row_and_an_example() -> None:
    assert sorted(MATRIX) == sorted(operations())
    assert sorted(EXAMPLES) == sorted(MATRIX)


@pytest.fixture(scope="module")
def world(django_db_setup: None, django_db_blocker: DjangoDbBlocker) -> Iterator[World]:
    """Seeded once; every call below is rolled back, and so is this."""
    with django_db_blocker.unblock(), transaction.atomic():
        yield build()
        transaction.set_rollback(True)


@pytest.mark.parametrize("surface", SURFACES)
@pytest.mark.parametrize("name", MATRIX)
def test_what_happens_is_what_the_table_says(world: World, name: str, surface: str) -> None:
    wanted = expected(name)
    assert {who: _try(world, name, surface, world.tokens[who]) for who in wanted} == wanted


def test_the_operations_that_take_a_guest_token_are_those_of_the_table() -> None:
    assert sorted(op.name for op in operations().values() if op.takes_guest_token) == sorted(BY_ARGUMENT)


@pytest.mark.parametrize("surface", SURFACES)
@pytest.mark.parametrize("header", ["anonymous", "operator"])
@pytest.mark.parametrize("name", BY_ARGUMENT)
def test_a_guest_token_among_the_arguments_wins_and_never_falls_back(
    world: World, name: str, header: str, surface: str
) -> None:
    wanted = expected_by_argument(name)
    happened = {
        who: _try(world, name, surface, world.tokens[header], guest_access_token=world.tokens[who]) for who in wanted
    }
    assert happened == wanted


def _try(world: World, name: str, surface: str, token: str | None, **more: object) -> str:
    """What comes of one call, which leaves nothing behind."""
    op = find(name)
    assert op is not None, f"{name} is in the table but not declared"
    with transaction.atomic():
        outcome = SURFACES[surface](op, {**EXAMPLES[name](world), **more}, token)
        transaction.set_rollback(True)
    return outcome
