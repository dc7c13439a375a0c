from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence

import pytest
from django.db.models import Q

from neotoma import consumers
from neotoma.consumers import Consumer, consumer, drain, lag
from neotoma.substrate.models import ConsumerOffset, DeadEvent, Event, EventBatch
from tests.support import callers

pytestmark = pytest.mark.django_db


NUMBERS = itertools.count()


class Recorder:
    """A consumer that writes down what it was given, and fails on the seqs it is told to."""

    def __init__(self) -> None:
        self.seen: list[int] = []
        self.failing: set[int] = set()

    def __call__(self, events: Sequence[Event]) -> None:
        for event in events:
            if event.seq in self.failing:
                raise ValueError(f"cannot take {event.seq}")
        self.seen += [event.seq for event in events]


@pytest.fixture
def recorder(monkeypatch: pytest.MonkeyPatch) -> Recorder:
    monkeypatch.setattr(consumers, "_CONSUMERS", {})
    return Recorder()


@pytest.fixture
def one(recorder: Recorder) -> Iterator[Consumer]:
    name = f"tests.recorder{next(NUMBERS)}"  # a task name is registered once for good
    yield consumer(name, wanted=lambda: Q(event_type="entity.created"))(recorder)


def store(count: int) -> list[int]:
    agent = callers.agent()
    for number in range(count):
        callers.stored(agent, title=f"t{number}")
    return list(Event.objects.filter(event_type="entity.created").order_by("seq").values_list("seq", flat=True))


def test_every_wanted_event_is_seen_once_and_in_order(one: Consumer, recorder: Recorder) -> None:
    wanted = store(5)
    assert lag(one.name) == 5
    assert drain(one.name) == 5
    assert drain(one.name) == 0
    assert recorder.seen == wanted
    assert lag(one.name) == 0


def test_more_than_one_slice_is_taken(one: Consumer, recorder: Recorder, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(consumers, "SLICE", 2)
    wanted = store(5)
    assert drain(one.name) == 5
    assert recorder.seen == wanted


def test_events_nobody_wants_do_not_fill_the_slice(one: Consumer, recorder: Recorder) -> None:
    wanted = store(3)
    assert Event.objects.count() > 3
    drain(one.name)
    assert recorder.seen == wanted


def test_an_event_that_fails_five_times_is_dead_and_the_rest_goes_on(one: Consumer, recorder: Recorder) -> None:
    wanted = store(4)
    recorder.failing = {wanted[1]}
    for attempt in range(4):
        drain(one.name)
        assert recorder.seen == wanted[:1]
        assert ConsumerOffset.objects.get(pk=one.name).failures == attempt + 1
    assert not DeadEvent.objects.exists()
    drain(one.name)
    assert recorder.seen == [wanted[0], *wanted[2:]]
    dead = DeadEvent.objects.get()
    assert (dead.consumer, dead.seq) == (one.name, wanted[1])
    assert "ValueError" in dead.error


def test_a_failure_that_passes_leaves_no_trace(one: Consumer, recorder: Recorder) -> None:
    wanted = store(2)
    recorder.failing = {wanted[0]}
    drain(one.name)
    recorder.failing = set()
    drain(one.name)
    assert recorder.seen == wanted
    assert not DeadEvent.objects.exists()
    assert ConsumerOffset.objects.get(pk=one.name).failures == 0


def test_dispatch_wakes_only_those_who_want_something(one: Consumer, recorder: Recorder) -> None:
    consumer("tests.uninterested", wanted=lambda: Q(event_type="entity.merged"))(recorder)
    store(1)
    batch = EventBatch.objects.latest("pk")
    assert consumers.dispatch([batch.pk]) == [one.name]
    assert consumers.dispatch([batch.pk + 1]) == []


def test_dispatch_does_not_ask_those_who_are_past_it(one: Consumer) -> None:
    store(1)
    first = EventBatch.objects.latest("pk").pk
    store(2)
    drain(one.name)
    assert consumers.dispatch([first, first + 1]) == []
    store(3)
    assert consumers.dispatch([first, EventBatch.objects.latest("pk").pk]) == [one.name]


def test_a_kick_does_not_wait_for_ever(one: Consumer) -> None:
    assert consumers.dispatch.expires == consumers.KICK_S
