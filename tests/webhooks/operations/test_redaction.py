"""Texts that an operation of webhooks takes are names: one that looks like a secret is refused, and stored nowhere."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from neotoma.operations.invoke import call
from neotoma.substrate.errors import Refusal
from tests.support.planted import TOKEN, everything, texts_of
from tests.webhooks.world import agent, subscribe

pytestmark = pytest.mark.django_db

LISTS = ("entity_types", "entity_ids", "event_types")
PLACES: dict[str, Callable[[str], Any]] = dict.fromkeys(LISTS, lambda text: [text])


@pytest.mark.parametrize(("operation", "parameter"), texts_of("webhooks.", structured=LISTS))
def test_a_token_in_any_text_is_stored_nowhere(operation: str, parameter: str) -> None:
    ant = agent("ant")
    mine = subscribe(ant, entity_types=["task"])["subscription_id"]
    least = {"delivery_method": "sse", "entity_types": ["task"]} if operation == "subscribe" else {}
    named = {"subscription_id": mine} if operation == "unsubscribe" else {}
    with pytest.raises(Refusal) as refused:
        call(operation, {**least, **named, parameter: PLACES.get(parameter, str)(TOKEN)}, ant)
    assert refused.value.status < 500
    assert TOKEN not in everything()


def test_a_type_that_looks_like_a_secret_is_refused_by_name() -> None:
    with pytest.raises(Refusal) as refused:
        subscribe(agent("ant"), entity_types=["task", TOKEN])
    assert (refused.value.status, refused.value.error_code) == (422, "ERR_REDACTION_REQUIRED")
    assert refused.value.details == {"fields": ["entity_types[1]"]}
