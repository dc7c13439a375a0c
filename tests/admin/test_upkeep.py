"""Dead events, and how far the consumers are."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator, Sequence

import pytest
from django.db.models import Q

from neotoma import consumers
from neotoma.operations.models import AuditEntry
from neotoma.substrate.models import DeadEvent, Event
from neotoma.tasks import drain_all
from tests.admin.conftest import Staff
from tests.instance import ROOT
from tests.support.callers import agent, stored


def test_every_process_knows_every_consumer() -> None:
    """Also one that runs no task, such as the web server whose front page shows how far they are."""
    told = "import django; django.setup(); from neotoma.consumers import consumers; print(*consumers())"
    command = [sys.executable, "-c", told]
    environ = {**os.environ, "DJANGO_SETTINGS_MODULE": "neotoma.settings"}
    done = subprocess.run(command, cwd=ROOT, env=environ, capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["triage.intake", "webhooks.fan_out"]


class Eater:
    """A consumer that fails while it is ill."""

    def __init__(self) -> None:
        self.ill, self.eaten = True, list[int]()

    def eat(self, events: Sequence[Event]) -> None:
        if self.ill:
            raise KeyError("<script>alert(1)</script>")
        self.eaten += [event.seq for event in events]


@pytest.fixture
def eater() -> Iterator[Eater]:
    one = Eater()
    # Put in by hand: a task name can be registered only once in a process.
    consumers._CONSUMERS["tests.eater"] = consumers.Consumer("tests.eater", Q, one.eat, drain_all)
    yield one
    del consumers._CONSUMERS["tests.eater"]


@pytest.fixture
def dead(db: None, eater: Eater) -> DeadEvent:
    """An event that the consumer gave up on."""
    stored(agent(), title="Renew passport")
    for _ in range(consumers.TRIES):
        consumers.drain("tests.eater")
    return DeadEvent.objects.get(seq=Event.objects.order_by("seq").values_list("seq", flat=True)[0])


def test_a_dead_event_shows_its_error(dead: DeadEvent, boss: Staff) -> None:
    page = boss.page(f"substrate/deadevent/{dead.pk}/change/")
    assert "KeyError" in page
    assert "<script>alert" not in page
    assert "entity.created" in page
    assert f"evt_{dead.seq}" in boss.page("substrate/deadevent/", resolved_at="no", consumer="tests.eater")
    assert f"evt_{dead.seq}<" not in boss.page("substrate/deadevent/", resolved_at="yes")


def test_trying_again_while_the_cause_is_there_says_so(dead: DeadEvent, eater: Eater, boss: Staff) -> None:
    page = boss.press(f"substrate/deadevent/{dead.pk}/change/", "retry").content.decode()
    assert "It failed again: KeyError" in page
    dead.refresh_from_db()
    assert dead.resolved_at is None
    assert AuditEntry.objects.get(operation="retry_dead_event").details["taken"] is False


def test_trying_again_when_the_cause_is_gone(dead: DeadEvent, eater: Eater, boss: Staff) -> None:
    eater.ill = False
    boss.press(f"substrate/deadevent/{dead.pk}/change/", "retry")
    dead.refresh_from_db()
    assert dead.resolved_at is not None
    assert eater.eaten == [dead.seq]
    assert AuditEntry.objects.get(operation="retry_dead_event").details["taken"] is True


def test_marking_as_resolved(dead: DeadEvent, eater: Eater, boss: Staff) -> None:
    boss.press(f"substrate/deadevent/{dead.pk}/change/", "resolve")
    dead.refresh_from_db()
    assert dead.resolved_at is not None
    assert eater.eaten == []
    assert 'name="button"' not in boss.page(f"substrate/deadevent/{dead.pk}/change/")


def test_a_consumer_that_is_gone_is_said(db: None, boss: Staff) -> None:
    row = DeadEvent.objects.create(consumer="tests.gone", seq=1, error="KeyError")
    assert "no such consumer" in boss.press(f"substrate/deadevent/{row.pk}/change/", "retry").content.decode()


def test_the_front_page_counts_dead_events_and_lag(db: None, eater: Eater, boss: Staff) -> None:
    stored(agent(), title="Renew passport")
    behind = Event.objects.count()
    DeadEvent.objects.create(consumer="tests.eater", seq=1, error="KeyError")
    page = boss.page("")
    assert '<b>1</b><span class="label">dead events</span>' in page
    assert f'<b>{behind}</b><span class="label">tests.eater</span>' in page
