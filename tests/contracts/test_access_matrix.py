"""Every operation, every kind of caller, over REST and MCP: what happens is what the table says."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from django.db import transaction
from pytest_django import DjangoDbBlocker

from neotoma.operations.registry import find, operations
from tests.contracts.access_matrix import EXAMPLES, MATRIX, expected
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
    op = find(name)
    assert op is not None, f"{name} is in the table but not declared"
    wanted, happened = expected(name), {}
    for who in wanted:
        with transaction.atomic():
            happened[who] = SURFACES[surface](op, EXAMPLES[name](world), world.tokens[who])
            transaction.set_rollback(True)
    assert happened == wanted
