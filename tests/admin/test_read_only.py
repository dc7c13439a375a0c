"""Facts are looked at, never edited: no form of the admin writes one."""

from __future__ import annotations

import pytest
from django.contrib import admin
from django.test import RequestFactory

from neotoma.operations.models import AuditEntry
from neotoma.substrate.models import Entity, Event, Observation
from tests.admin.conftest import Desk, Staff
from tests.admin.test_who_sees_what import lists

WITH_FORMS = {"access/agent", "access/apitoken", "access/entitygrouppermission", "access/entityuserpermission"}
FACTS = sorted(set(lists()) - WITH_FORMS)


@pytest.mark.parametrize("where", FACTS)
def test_nothing_is_added(boss: Staff, where: str) -> None:
    assert boss.get(f"{where}/add/").status_code == 403
    assert boss.client.post(f"/admin/{where}/add/", {"name": "x"}).status_code == 403


@pytest.mark.parametrize("where", FACTS)
def test_nothing_is_done_in_bulk(boss: Staff, where: str) -> None:
    model = next(m for m in admin.site._registry if m._meta.label_lower == where.replace("/", "."))
    request = RequestFactory().get("/")
    request.user = boss.user
    assert admin.site._registry[model].get_actions(request) == {}


def test_nothing_is_deleted(desk: Desk, boss: Staff) -> None:
    pages = [
        f"substrate/entity/{desk.linked}",
        f"issues/issue/{desk.issue}",
        f"triage/plan/{desk.plan}",
        f"substrate/event/{Event.objects.first().pk}",  # type: ignore[union-attr]  # filing wrote events
        f"operations/auditentry/{AuditEntry.objects.first().pk}",  # type: ignore[union-attr]  # and an audit row
    ]
    for page in pages:
        assert boss.get(f"{page}/delete/").status_code == 403
        assert boss.client.post(f"/admin/{page}/delete/", {"post": "yes"}).status_code == 403


def test_a_posted_field_changes_nothing(desk: Desk, boss: Staff) -> None:
    before = Observation.objects.count()
    for page in (f"substrate/entity/{desk.linked}", f"issues/issue/{desk.issue}", f"triage/plan/{desk.plan}"):
        response = boss.client.post(f"/admin/{page}/change/", {"title": "changed", "name": "changed", "_save": "Save"})
        assert response.status_code == 302
    assert Observation.objects.count() == before
    assert Entity.objects.get(pk=desk.linked).name == "Renew passport"


def test_each_value_of_a_snapshot_names_its_origin(desk: Desk, boss: Staff) -> None:
    observation = Observation.objects.get(entity_id=desk.linked)
    page = boss.page(f"substrate/entity/{desk.linked}/change/")
    assert f"obs_{observation.pk}" in page
    assert observation.actor_key in page
    assert "Renew passport" in page
    assert "store drops due_date" in page  # the issue that refers to it


def test_events_are_found_by_number_and_entity(desk: Desk, boss: Staff) -> None:
    event = Event.objects.filter(entity_id=desk.linked).first()
    assert event is not None
    for term in (event.event_id, str(event.seq), desk.linked):
        assert f"evt_{event.seq}<" in boss.page("substrate/event/", q=term)
    page = boss.page("substrate/event/", event_type="entity.created", entity_type="issue")
    assert "relationship.created</span>" not in page
    assert "&quot;event_type&quot;: &quot;entity.created&quot;" in boss.page(f"substrate/event/{event.seq}/change/")


def test_the_audit_is_filtered_and_searched(desk: Desk, boss: Staff) -> None:
    boss.press(f"issues/issue/{desk.issue}/change/", "close_issue", kind="duplicate", duplicate_of="99")
    refused = boss.page("operations/auditentry/", outcome="refused")
    assert "NOT_FOUND" in refused
    assert "submit_issue" not in refused
    assert "submit_issue" in boss.page("operations/auditentry/", q=desk.issue)
    entry = AuditEntry.objects.get(outcome="refused")
    assert "close_issue" in boss.page(f"operations/auditentry/{entry.pk}/change/")


def test_a_page_is_found_by_its_id_as_everybody_writes_it(boss: Staff) -> None:
    """The admin's own quoting would read `_40` as `@`."""
    Entity.objects.create(pk="ent_401ed94cc502cb92f95ea58d", entity_type="task", canonical_key="x", name="Odd id")
    assert "Odd id" in boss.page("substrate/entity/ent_401ed94cc502cb92f95ea58d/change/")
    assert "Odd id" in boss.page("substrate/entity/ent_5F401ed94cc502cb92f95ea58d/change/")
