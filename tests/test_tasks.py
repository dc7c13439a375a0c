from __future__ import annotations

from datetime import timedelta

import pytest
from django.conf import LazySettings
from django.db import connection
from django.utils import timezone

from neotoma import consumers
from neotoma.consumers import drain
from neotoma.operations.invoke import call
from neotoma.operations.models import Call
from neotoma.substrate.models import Event, EventBatch
from neotoma.tasks import drain_all, prune
from tests.support import callers

pytestmark = pytest.mark.django_db


def test_a_consumer_that_is_behind_is_woken_until_it_has_caught_up() -> None:
    callers.stored(callers.agent(), title="t")
    names = sorted(consumers.consumers())
    assert names
    assert drain_all() == names
    for name in names:
        drain(name)
    assert drain_all() == []


def test_only_events_that_everyone_has_read_and_that_are_old_are_forgotten(settings: LazySettings) -> None:
    settings.NEOTOMA_EVENT_RETENTION_DAYS = 0
    callers.stored(callers.agent(), title="t")
    assert prune() == 0
    for name in consumers.consumers():
        drain(name)
    count = Event.objects.count()
    assert prune() == count > 0
    assert not EventBatch.objects.exists()
    with connection.cursor() as cursor:
        cursor.execute("SELECT count(*) FROM substrate_retentionpass")
        assert cursor.fetchone() == (0,)


def test_expired_answers_are_forgotten() -> None:
    call("store", {"entities": [{"entity_type": "task", "title": "t"}], "idempotency_key": "k"}, callers.agent())
    Call.objects.update(expires_at=timezone.now() + timedelta(hours=1))
    prune()
    assert Call.objects.count() == 1
    Call.objects.update(expires_at=timezone.now() - timedelta(seconds=1))
    prune()
    assert not Call.objects.exists()
