"""How a concern reacts to what was written: offsets, dispatch and drains over the event log.

The log is the outbox. Each committed batch gives one kick; a lost kick only costs time, since every consumer is
drained on a beat. This is the only file that listens to a signal or calls `on_commit`.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import reduce
from operator import or_
from typing import Any

from celery import Task, current_app, shared_task
from django.db import InterfaceError, OperationalError, transaction
from django.db.models import Q
from django.db.models.signals import post_save
from django.dispatch import receiver
from django.utils import timezone
from kombu.exceptions import OperationalError as BrokerAway

from neotoma.kicks import Kicks
from neotoma.substrate.models import ConsumerOffset, DeadEvent, Event, EventBatch

log = logging.getLogger(__name__)

SLICE = 200
"""Events a drain takes in one transaction."""
TRIES = 5
"""After so many failures an event is set aside as dead."""

KICK_S = 20
"""Seconds after which a kick that still waits is not worth taking: the sweep has been there since."""

Handler = Callable[[Sequence[Event]], None]
Wanted = Callable[[], Q]


@dataclass(frozen=True)
class Consumer:
    """A reaction to events. `wanted` selects in SQL; `handle` only writes work rows, in the drain's transaction."""

    name: str
    wanted: Wanted
    handle: Handler
    drain: Task[Any, Any]


_CONSUMERS: dict[str, Consumer] = {}


def consumer(name: str, *, wanted: Wanted) -> Callable[[Handler], Consumer]:
    """Declare a consumer. `name` is a dotted task name, so the route table gives it its queue.

    The handler gets events in order of `seq`. It may see an event twice: its work rows are unique on
    (consumer, event, target). It makes no network call.
    """

    def declare(handle: Handler) -> Consumer:
        @shared_task(name=f"{name}.drain")
        def drain_task() -> int:
            return drain(name)

        declared = Consumer(name=name, wanted=wanted, handle=handle, drain=drain_task)
        _CONSUMERS[name] = declared
        return declared

    return declare


def consumers() -> dict[str, Consumer]:
    return dict(sorted(_CONSUMERS.items()))


def after_commit(task: Task[Any, Any], **kwargs: Any) -> None:
    """Publish a task once the running transaction has committed. A dead broker is logged and costs only time."""

    after_commit_many(task, [kwargs])


def after_commit_many(task: Task[Any, Any], calls: Sequence[dict[str, Any]]) -> None:
    """As `after_commit`, for many messages over one connection; `calls` are keyword arguments."""

    def publish() -> None:
        publish_now((task, kwargs) for kwargs in calls)

    transaction.on_commit(publish, robust=True)


def publish_now(messages: Iterable[tuple[Task[Any, Any], dict[str, Any]]]) -> bool:
    """Publish without retries; False when the broker is away. The rows behind the messages are swept later."""
    try:
        with current_app.producer_or_acquire() as producer:
            for task, kwargs in messages:
                task.apply_async(kwargs=kwargs, producer=producer)
    except (BrokerAway, OSError) as error:
        log.warning("broker away, work waits for the next sweep: %s", type(error).__name__)
        return False
    return True


_kicks: Kicks | None = None


def kick_in_background() -> None:
    """Let a thread of this process send the kicks; for processes that answer requests and live long."""
    global _kicks
    _kicks = Kicks(kick)


def kick(batch_ids: list[int]) -> bool:
    """Tell the workers which batches were committed; False when the broker is away."""
    return publish_now([(dispatch, {"batch_ids": batch_ids})])


@receiver(post_save, sender=EventBatch, dispatch_uid="neotoma.batch")
def _on_batch(instance: EventBatch, created: bool, **_: Any) -> None:
    def committed() -> None:
        if _kicks is not None:
            _kicks.add(instance.pk)
        else:
            kick([instance.pk])

    if created:
        transaction.on_commit(committed, robust=True)


@shared_task(name="neotoma.consumers.dispatch", expires=KICK_S)
def dispatch(batch_ids: list[int]) -> list[str]:
    """Wake the consumers that want something of these batches, each on its own queue; answers their names.

    Whoever is past them already is not asked: after a pause of the workers, the first kick has everybody catch up.
    """
    batches = list(EventBatch.objects.filter(pk__in=batch_ids).values_list("first_seq", "last_seq"))
    if not batches:
        return []
    last, taken = max(end for _, end in batches), dict(ConsumerOffset.objects.values_list("consumer", "seq"))
    behind = [one for one in consumers().values() if taken.get(one.name, 0) < last]
    events = Event.objects.filter(reduce(or_, (Q(seq__range=ends) for ends in batches)))
    woken = [one for one in behind if events.filter(one.wanted()).exists()]
    publish_now((one.drain, {}) for one in woken)
    return [one.name for one in woken]


def drain(name: str) -> int:
    """Let a consumer catch up; answers how many events it took."""
    taken = 0
    while (count := _drain_slice(_CONSUMERS[name])) == SLICE:
        taken += count
    return taken + count


def lag(name: str) -> int:
    """How many wanted events a consumer has not taken yet."""
    return Event.objects.filter(_CONSUMERS[name].wanted(), seq__gt=_taken(name)).count()


def _taken(name: str) -> int:
    """The last event that a consumer has dealt with."""
    return ConsumerOffset.objects.filter(pk=name).values_list("seq", flat=True).first() or 0


def _drain_slice(one: Consumer) -> int:
    """One transaction: lock the offset, hand over the next wanted events, advance; answers how many.

    A slice that is not full ends at the end of the log as it was before the look: what nobody wanted is behind too,
    and neither the next look nor retention has to go over it again.
    """
    try:
        with transaction.atomic():
            offset = _locked_offset(one.name)
            end = Event.objects.order_by("-seq").values_list("seq", flat=True).first() or 0
            ahead = Event.objects.filter(one.wanted(), seq__gt=offset.seq, seq__lte=end)
            events = list(ahead.order_by("seq")[:SLICE])
            if events:
                one.handle(events)
            if end > offset.seq:
                _advance(offset, events[-1].seq if len(events) == SLICE else end)
            return len(events)
    except (OperationalError, InterfaceError):
        raise  # the database's trouble, not the event's: the next wake tries again
    except Exception:
        log.exception("consumer %s failed on a slice", one.name)
        return _drain_singly(one)


def _drain_singly(one: Consumer) -> int:
    """Up to and including the first event that fails, each in a transaction of its own."""
    taken = 0
    while taken < SLICE:
        event = Event.objects.filter(one.wanted(), seq__gt=_taken(one.name)).order_by("seq").first()
        if event is None:
            break
        if not _drain_one(one, event):
            break
        taken += 1
    return taken


def _drain_one(one: Consumer, event: Event) -> bool:
    try:
        with transaction.atomic():
            offset = _locked_offset(one.name)
            if offset.seq >= event.seq:
                return True
            one.handle([event])
            _advance(offset, event.seq)
            return True
    except (OperationalError, InterfaceError):
        raise  # as above: five of these must not declare an innocent event dead
    except Exception as error:
        log.exception("consumer %s failed on event %s", one.name, event.seq)
        return _record_failure(one.name, event.seq, error)


def _record_failure(name: str, seq: int, error: Exception) -> bool:
    """Count the failure; after `TRIES` the event is dead and the consumer goes on (True)."""
    with transaction.atomic():
        offset = _locked_offset(name)
        if offset.seq >= seq:
            return True
        offset.failures = offset.failures + 1 if offset.failing_seq == seq else 1
        offset.failing_seq = seq
        if offset.failures < TRIES:
            offset.save()
            return False
        DeadEvent.objects.get_or_create(
            consumer=name, seq=seq, defaults={"error": f"{type(error).__name__}: {error}"[:2000]}
        )
        _advance(offset, seq)
        return True


def retry(dead: DeadEvent) -> str:
    """Hand a dead event to its consumer once more; answers the error, or nothing when it was taken and is resolved."""
    one = _CONSUMERS.get(dead.consumer)
    if one is None:
        return "This installation has no such consumer."
    try:
        with transaction.atomic():
            _locked_offset(one.name)
            one.handle(list(Event.objects.filter(pk=dead.seq)))
            DeadEvent.objects.filter(pk=dead.pk).update(resolved_at=timezone.now())
    except Exception as error:
        log.exception("consumer %s failed again on event %s", one.name, dead.seq)
        text = f"{type(error).__name__}: {error}"[:2000]
        DeadEvent.objects.filter(pk=dead.pk).update(error=text)
        return text
    return ""


def _locked_offset(name: str) -> ConsumerOffset:
    """The offset row, locked. A second drain waits here, so a kick that comes during a drain is not lost."""
    rows = ConsumerOffset.objects.select_for_update()
    offset = rows.filter(pk=name).first()
    if offset is None:
        ConsumerOffset.objects.bulk_create([ConsumerOffset(consumer=name)], ignore_conflicts=True)
        offset = rows.get(pk=name)
    return offset


def _advance(offset: ConsumerOffset, seq: int) -> None:
    offset.seq, offset.failing_seq, offset.failures = seq, None, 0
    offset.save()
