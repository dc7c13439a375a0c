"""Every operation, every kind of caller, over REST and MCP: what happens is what the table says."""

from __future__ import annotations

import pytest
from django.db import transaction

from neotoma.operations.registry import find, operations
from tests.contracts import world as seeds
from tests.contracts.access_matrix import EXAMPLES, MATRIX, expected
from tests.contracts.surfaces import SURFACES


def test_every_operation_has_a_row_and_an_example() -> None:
    assert sorted(MATRIX) == sorted(operations())
    assert sorted(EXAMPLES) == sorted(MATRIX)


@pytest.mark.django_db
@pytest.mark.parametrize("surface", SURFACES)
@pytest.mark.parametrize("name", MATRIX)
def test_what_happens_is_what_the_table_says(name: str, surface: str) -> None:
    op = find(name)
    assert op is not None, f"{name} is in the table but not declared"
    world = seeds.build()
    wanted, happened = expected(name), {}
    for who in wanted:
        with transaction.atomic():
            happened[who] = SURFACES[surface](op, EXAMPLES[name](world), world.tokens[who])
            transaction.set_rollback(True)
    assert happened == wanted
