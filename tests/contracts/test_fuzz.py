"""Whatever the declared shapes let through is answered: no input of theirs makes an operation fail."""

from __future__ import annotations

import os
from collections.abc import Iterable
from functools import cache
from typing import Any

import pytest
import schemathesis
from django.db import transaction
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from neotoma.operations.registry import Operation, operations
from neotoma.operations.rest.openapi import document
from tests.contracts.access_matrix import EXAMPLES
from tests.contracts.surfaces import rest_answer
from tests.contracts.world import build

INPUTS = int(os.environ.get("NEOTOMA_FUZZ_INPUTS", "3"))
"""For each operation."""


@cache
def _cases() -> dict[str, st.SearchStrategy[Any]]:
    made = document(operations().values(), version="1", base_url="http://testserver")
    found: list[Any] = [result.ok() for result in _results(made)]
    return {op.definition.raw["operationId"]: op.as_strategy() for op in found}


def _results(made: dict[str, Any]) -> Iterable[Any]:
    return schemathesis.openapi.from_dict(made).get_all_operations()


@pytest.mark.django_db
def test_no_input_makes_an_operation_fail() -> None:
    world, failed = build(), {}
    for name, cases in _cases().items():
        found = _failure(operations()[name], cases, EXAMPLES[name](world), world.tokens["operator"])
        if found is not None:
            failed[name] = found
    assert failed == {}
    assert len(_cases()) == len(operations())


def _failure(op: Operation, cases: st.SearchStrategy[Any], example: dict[str, Any], token: str | None) -> str | None:
    """The smallest input that is answered with a 5xx, or None. Some arguments are those of a call that works."""
    failing: list[str] = []

    @settings(max_examples=INPUTS, deadline=None, database=None, derandomize=True, suppress_health_check=[*HealthCheck])
    @given(case=cases, kept=st.sets(st.sampled_from(sorted(example) or ["none"])))
    def try_once(case: Any, kept: set[str]) -> None:
        arguments = {**_arguments(case), **{name: example[name] for name in kept if name in example}}
        with transaction.atomic():
            answer = rest_answer(op, arguments, token)
            transaction.set_rollback(True)
        if answer.status_code >= 500:
            failing.append(f"{answer.status_code} for {arguments}")
        assert answer.status_code < 500

    try:
        try_once()
    except AssertionError:
        return failing[-1]
    return None


def _arguments(case: Any) -> dict[str, Any]:
    """What was generated for path, query and body, by the names of the parameters."""
    found = {**(case.path_parameters or {}), **(case.query or {})}
    if isinstance(case.body, dict):
        found |= case.body
    if "issue" in found:
        found["issue_number"] = found.pop("issue")
    return found
