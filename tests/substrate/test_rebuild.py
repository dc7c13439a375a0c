from __future__ import annotations

from typing import Any

import pytest
from django.apps import apps
from django.core.management import call_command

from issues.models import Issue, IssueLabel
from neotoma.operations.invoke import call
from neotoma.submissions.models import Message
from neotoma.substrate.models import Entity, FieldValue, SearchDocument
from tests.support import callers

pytestmark = pytest.mark.django_db

DERIVED = [Entity, SearchDocument, FieldValue, Issue, IssueLabel, Message]


def image() -> dict[str, list[dict[str, Any]]]:
    """Every derived row, but for surrogate keys."""
    tables = {}
    for model in DERIVED:
        key = "entity_id" if model in (SearchDocument, FieldValue) else "issue_id" if model is IssueLabel else "pk"
        rows = list(model._default_manager.order_by(key, "pk").values())
        tables[model.__name__] = [{k: v for k, v in row.items() if k != "id" or model is Entity} for row in rows]
    return tables


@pytest.fixture
def history() -> None:
    reporter, boss = callers.reporter(), callers.operator()
    task = callers.stored(reporter, title="a task", n=1)
    fields = [{"name": "title", "type": "string"}, {"name": "pages", "type": "number", "indexed": True}]
    call("register_entity_type", {"entity_type": "book", "description": "To read.", "fields": fields}, boss)
    callers.stored(boss, entity_type="book", title="Dune", pages=412, mood="dry")
    issue = callers.filed(reporter, labels=["area/store", "c#"], entity_ids_to_link=[task])
    call("add_issue_message", {"issue_number": issue["issue_number"], "body": "which build?"}, boss)
    call("close_issue", {"issue_number": issue["issue_number"], "resolution": {"kind": "fixed"}}, boss)
    gone = callers.filed(reporter, title="by mistake")
    call("withdraw_issue", {"issue_number": gone["issue_number"]}, reporter)


@pytest.mark.usefixtures("history")
def test_a_rebuild_changes_nothing() -> None:
    before = image()
    call_command("rebuild_projections", verbosity=0)
    assert image() == before


@pytest.mark.usefixtures("history")
def test_a_rebuild_brings_lost_projections_back() -> None:
    before = image()
    for name in ("issues.IssueLabel", "issues.Issue", "submissions.Message", "substrate.SearchDocument"):
        apps.get_model(name)._default_manager.all().delete()
    Entity.objects.update(snapshot={}, provenance={}, observation_count=0)
    call_command("rebuild_projections", verbosity=0)
    assert image() == before
