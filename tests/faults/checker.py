"""What is wrong, judged from the clients' logs, the database and what the receiver got: pure."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from tests.faults.clientlog import Attempt
from tests.faults.load import title_of
from tests.faults.stored import PARTS, Stored

Kind = Literal[
    "lost", "duplicate", "half made", "unseen", "dead", "not sent", "sent twice", "not heard", "wrong answer"
]


@dataclass(frozen=True, slots=True)
class Fault:
    kind: Kind
    subject: str
    why: str


def faults(attempts: Sequence[Attempt], stored: Stored, received: Sequence[str] | None = None) -> list[Fault]:
    """Every broken promise. `received`: the delivery id of each request that the receiver got; None without one."""
    checks = (
        wrong_answers(attempts),
        lost(attempts, stored),
        duplicates(attempts, stored),
        half_made(stored),
        unseen(stored),
        undelivered(stored, received) if received is not None else (),
    )
    return [fault for check in checks for fault in check]


def wrong_answers(attempts: Iterable[Attempt]) -> Iterator[Fault]:
    """An attempt is accepted, has no answer, or is told when to come again."""
    for attempt in attempts:
        asked_to_wait = attempt.status == 503 and attempt.retry_after.isdigit()
        if not (attempt.accepted or attempt.status == 0 or asked_to_wait):
            yield Fault("wrong answer", attempt.key, f"status {attempt.status}, Retry-After {attempt.retry_after!r}")


def lost(attempts: Iterable[Attempt], stored: Stored) -> Iterator[Fault]:
    """What was accepted is stored under the number and id that the client was told."""
    known = {(issue.number, issue.entity_id, issue.title) for issue in stored.issues}
    for attempt in attempts:
        if attempt.accepted and (attempt.number, attempt.entity_id, title_of(attempt.key)) not in known:
            yield Fault("lost", attempt.key, f"accepted as number {attempt.number}, not stored")


def duplicates(attempts: Iterable[Attempt], stored: Stored) -> Iterator[Fault]:
    """One key, one issue: in the answers, in the memory of calls and in the table."""
    answered: defaultdict[str, set[str]] = defaultdict(set)
    for attempt in attempts:
        if attempt.accepted:
            answered[attempt.key].add(attempt.entity_id)
    for key, entity_id in stored.remembered:
        answered[key].add(entity_id)
    for key, ids in answered.items():
        if len(ids) > 1:
            yield Fault("duplicate", key, f"stands for {len(ids)} issues")
    for title, count in Counter(issue.title for issue in stored.issues).items():
        if count > 1:
            yield Fault("duplicate", title, f"{count} issues")


def half_made(stored: Stored) -> Iterator[Fault]:
    """Every thread that has anything has everything, once; so has every number and every saved answer."""
    for thread, parts in stored.parts.items():
        wrong = [f"{part}: {parts[part]}" for part in PARTS if parts[part] != 1]
        if wrong:
            yield Fault("half made", thread, ", ".join(wrong))
    for number in set(stored.numbers) ^ {issue.number for issue in stored.issues}:
        yield Fault("half made", str(number), "a number and no issue, or an issue and no number")
    for key, entity_id in stored.remembered:
        if entity_id not in stored.parts:
            yield Fault("half made", key, "an answer is kept, its issue is not there")


def unseen(stored: Stored) -> Iterator[Fault]:
    """Each consumer has made its work row for each event that it wants, and has set none aside."""
    made = {(delivery.subscription_id, delivery.seq) for delivery in stored.deliveries}
    for subscription in stored.subscriptions:
        for event in stored.events:
            if subscription.wants(event) and (subscription.subscription_id, event.seq) not in made:
                yield Fault("unseen", f"event {event.seq}", "by webhooks.fan_out")
    for event in stored.events:
        if (event.event_type, event.entity_type) == ("entity.created", "issue") and event.entity_id not in stored.cases:
            yield Fault("unseen", f"event {event.seq}", "by triage.intake")
    for consumer, seq in stored.dead:
        yield Fault("dead", f"event {seq}", f"by {consumer}")


def undelivered(stored: Stored, received: Sequence[str]) -> Iterator[Fault]:
    """No delivery waits, none is sent twice, and what counts as delivered has arrived."""
    times = Counter(received)
    for delivery in stored.deliveries:
        if delivery.outcome == "pending":
            yield Fault("not sent", delivery.delivery_id, f"of event {delivery.seq}")
        if times[delivery.delivery_id] > 1:
            yield Fault("sent twice", delivery.delivery_id, f"{times[delivery.delivery_id]} times")
        if delivery.outcome == "delivered" and not times[delivery.delivery_id]:
            yield Fault("not heard", delivery.delivery_id, "recorded as delivered")
