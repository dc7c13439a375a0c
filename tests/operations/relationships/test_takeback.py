from __future__ import annotations

from typing import Any

import pytest

from neotoma.operations.invoke import call
from neotoma.operations.models import AuditEntry
from neotoma.substrate.errors import Refusal
from neotoma.substrate.models import Event, Relationship, RelationshipObservation
from tests.support import callers
from tests.support.planted import TOKEN, everything

pytestmark = pytest.mark.django_db

VERBS = ("delete_relationship", "restore_relationship")


@pytest.fixture
def edge() -> dict[str, Any]:
    one, other = (callers.stored(callers.agent(), title=title) for title in ("one", "other"))
    edge = {"relationship_type": "REFERS_TO", "source_entity_id": one, "target_entity_id": other}
    call("create_relationships", {"relationships": [{**edge, "metadata": {"why": "so"}}]}, callers.agent())
    return edge


def listed(edge: dict[str, Any]) -> list[dict[str, Any]]:
    found = call("list_relationships", {"entity_id": edge["source_entity_id"]}, callers.agent())
    rows: list[dict[str, Any]] = found["relationships"]
    return rows


def verbs() -> list[str]:
    return list(Event.objects.filter(event_type__startswith="rel").order_by("seq").values_list("event_type", flat=True))


def test_an_edge_is_taken_back_and_restored_with_what_was_known_of_it(edge: dict[str, Any]) -> None:
    before = listed(edge)
    gone = call("delete_relationship", edge, callers.agent())
    assert (gone["action"], gone["deleted"], listed(edge)) == ("deleted", True, [])
    back = call("restore_relationship", edge, callers.agent())
    assert (back["action"], back["deleted"], listed(edge)) == ("restored", False, before)
    assert verbs() == ["relationship.created", "relationship.deleted", "relationship.restored"]
    history = RelationshipObservation.objects.order_by("pk").values_list("kind", flat=True)
    assert list(history) == ["store", "deletion", "restoration"]
    assert list(AuditEntry.objects.filter(operation__in=VERBS).values_list("outcome", flat=True)) == ["done", "done"]


def test_doing_it_again_changes_nothing(edge: dict[str, Any]) -> None:
    assert call("restore_relationship", edge, callers.agent())["action"] == "unchanged"
    for wanted in ("deleted", "unchanged"):
        assert call("delete_relationship", edge, callers.agent())["action"] == wanted
    assert verbs() == ["relationship.created", "relationship.deleted"]


def test_a_key_replays_the_answer(edge: dict[str, Any]) -> None:
    answers = [call("delete_relationship", {**edge, "idempotency_key": "k"}, callers.agent()) for _ in range(2)]
    assert [answer.get("replayed") for answer in answers] == [False, True]
    assert answers[0]["action"] == answers[1]["action"] == "deleted"


@pytest.mark.parametrize("verb", VERBS)
def test_an_edge_that_never_was_is_not_found(edge: dict[str, Any], verb: str) -> None:
    with pytest.raises(Refusal) as refused:
        call(verb, {**edge, "relationship_type": "PART_OF"}, callers.agent())
    assert (refused.value.status, refused.value.error_code) == (404, "NOT_FOUND")


@pytest.mark.parametrize("verb", VERBS)
def test_a_reporter_leaves_the_edges_of_others_alone(edge: dict[str, Any], verb: str) -> None:
    with pytest.raises(Refusal) as refused:
        call(verb, edge, callers.reporter())
    assert refused.value.error_code == "LINK_TARGET_UNKNOWN"
    assert Relationship.objects.get().deleted_at is None


@pytest.mark.parametrize("verb", VERBS)
def test_what_a_managed_entity_consists_of_is_not_taken_apart(verb: str) -> None:
    callers.filed(callers.reporter())
    part = Relationship.objects.filter(relationship_type="PART_OF").first()
    assert part is not None
    arguments = {"relationship_type": "PART_OF", "source_entity_id": part.source_id, "target_entity_id": part.target_id}
    with pytest.raises(Refusal) as refused:
        call(verb, arguments, callers.operator())
    assert (refused.value.status, refused.value.error_code) == (403, "ERR_MANAGED_TYPE")
    assert Relationship.objects.get(pk=part.pk).deleted_at is None


def test_a_token_in_a_reason_is_stored_nowhere(edge: dict[str, Any]) -> None:
    for verb in VERBS:
        call(verb, {**edge, "reason": f"it holds {TOKEN}"}, callers.agent())
        assert AuditEntry.objects.get(operation=verb).details["reason"] == "it holds [redacted:github_token]"
    assert TOKEN not in everything()
