from __future__ import annotations

import pytest
from django.db import DatabaseError, connection, transaction
from django.db.models import Model
from django.utils import timezone

from neotoma.operations.models import AuditEntry
from neotoma.substrate import regrouping
from neotoma.substrate.actors import SYSTEM
from neotoma.substrate.drafts import Draft, Edge
from neotoma.substrate.models import Event, Observation, Regrouping, RelationshipObservation, RetentionPass, Source
from neotoma.substrate.store import open_write
from tests.support import callers

pytestmark = pytest.mark.django_db

TABLES: list[type[Model]] = [Observation, RelationshipObservation, Regrouping, Source, Event, AuditEntry]


@pytest.fixture
def facts() -> None:
    with open_write(SYSTEM, timezone.now()) as write:
        a, b = write.put([Draft("task", {"title": "a"}), Draft("task", {"title": "b"})])
        write.link([Edge("REFERS_TO", a.entity.pk, b.entity.pk)])
        write.keep("test", "{}")
        regrouping.merge(write, a.entity.pk, b.entity.pk)
    callers.stored(callers.agent(), title="audited")


@pytest.mark.parametrize("model", TABLES)
@pytest.mark.usefixtures("facts")
@pytest.mark.parametrize("statement", ["UPDATE {0} SET {1} = {1}", "DELETE FROM {0}", "TRUNCATE {0} CASCADE"])
def test_the_database_refuses(model: type[Model], statement: str) -> None:
    if statement.startswith("TRUNCATE") and connection.vendor == "sqlite":
        statement = "DELETE FROM {0} WHERE 1 = 1"
    table, key = model._meta.db_table, model._meta.pk.column
    before = model._default_manager.count()
    with pytest.raises(DatabaseError, match="append-only"), transaction.atomic(), connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")  # else TRUNCATE stumbles over pending checks first
        cursor.execute(statement.format(table, key))
    assert model._default_manager.count() == before > 0


@pytest.mark.usefixtures("facts")
def test_retention_may_delete_events_and_nothing_else() -> None:
    opened = RetentionPass.objects.create()
    assert Event.objects.all().delete()[0] > 0
    with pytest.raises(DatabaseError, match="append-only"), transaction.atomic():
        Observation.objects.all().delete()
    opened.delete()
