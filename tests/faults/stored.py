"""What a database holds, read by plain SQL: the product's own queries are not asked whether they are right."""

from __future__ import annotations

import json
import sqlite3
from collections import Counter, defaultdict
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

import psycopg

Rows = list[tuple[Any, ...]]
Query = Callable[[str], Rows]

PARTS = {
    "issue": "SELECT entity_id FROM issues_issue",
    "issue entity": "SELECT id FROM substrate_entity WHERE entity_type = 'issue'",
    "conversation": "SELECT thread_id FROM substrate_entity WHERE entity_type = 'conversation'",
    "first message": "SELECT thread_id FROM submissions_message WHERE position = 1",
    "grant": "SELECT thread_id FROM access_guesttoken",
    "search document": "SELECT entity_id FROM substrate_searchdocument WHERE entity_type = 'issue'",
    "audit entry": "SELECT subject FROM operations_auditentry WHERE operation = 'submit_issue' AND outcome = 'done'",
    "event of the issue": "SELECT thread_id FROM substrate_event"
    " WHERE entity_type = 'issue' AND event_type = 'entity.created'",
    "event of the conversation": "SELECT thread_id FROM substrate_event"
    " WHERE entity_type = 'conversation' AND event_type = 'entity.created'",
    "tie to the conversation": "SELECT source_id FROM substrate_relationship r JOIN substrate_entity e"
    " ON e.id = r.target_id AND e.entity_type = 'conversation' WHERE relationship_type = 'REFERS_TO'",
    "tie of the first message": "SELECT thread_id FROM substrate_relationship r JOIN submissions_message m"
    " ON m.entity_id = r.source_id AND m.position = 1 WHERE relationship_type = 'PART_OF'",
}
"""What one submission leaves: for each kind of row, the threads that have one. Whole is: each of them once."""


@dataclass(frozen=True, slots=True)
class Issue:
    entity_id: str
    number: int
    title: str


@dataclass(frozen=True, slots=True)
class Event:
    seq: int
    event_type: str
    entity_type: str
    entity_id: str


@dataclass(frozen=True, slots=True)
class Subscription:
    """`event_types` and `entity_types`: empty wants all."""

    subscription_id: str
    start: int
    event_types: frozenset[str]
    entity_types: frozenset[str]

    def wants(self, event: Event) -> bool:
        named = event.event_type in self.event_types if self.event_types else event.event_type != "observation.created"
        return named and event.seq > self.start and (not self.entity_types or event.entity_type in self.entity_types)


@dataclass(frozen=True, slots=True)
class Delivery:
    delivery_id: str
    subscription_id: str
    seq: int
    outcome: str


@dataclass(frozen=True, slots=True)
class Stored:
    """`parts`: for each thread, how many rows it has of each kind. `remembered`: the thread of each saved answer.

    `numbers`: those that were given out. `cases`: issues that triage has taken up. `dead`: events set aside.
    """

    issues: list[Issue]
    parts: dict[str, Counter[str]]
    remembered: list[tuple[str, str]]
    numbers: list[int]
    events: list[Event]
    subscriptions: list[Subscription]
    deliveries: list[Delivery]
    cases: set[str]
    dead: list[tuple[str, int]]


def read(database_url: str) -> Stored:
    """Everything that the checker looks at, as of one moment."""
    with closing(_open(database_url)) as connection:
        connection.execute(
            "BEGIN" if database_url.startswith("sqlite") else "SET TRANSACTION ISOLATION LEVEL REPEATABLE READ"
        )
        return _read(lambda statement: list(connection.execute(statement).fetchall()))


def _open(database_url: str) -> Any:
    """Both drivers' connections have `execute`, which their common protocol does not."""
    if database_url.startswith("sqlite"):
        path = urlsplit(database_url).path[1:]
        return sqlite3.connect(f"file:{path}?mode=ro", uri=True, timeout=30, isolation_level=None)
    return psycopg.connect(database_url)


def _read(query: Query) -> Stored:
    calls = query("SELECT key, answer FROM operations_call WHERE operation = 'submit_issue'")
    chosen = "SELECT entity_id, start_seq, event_types, entity_types FROM webhooks_subscription"
    return Stored(
        issues=[Issue(*row) for row in query("SELECT entity_id, number, title FROM issues_issue")],
        parts=_parts(query),
        remembered=[(key, _decoded(answer)["entity_id"]) for key, answer in calls],
        numbers=[number for (number,) in query("SELECT id FROM issues_issuenumber")],
        events=[Event(*row) for row in query("SELECT seq, event_type, entity_type, entity_id FROM substrate_event")],
        subscriptions=[
            Subscription(pk, start, frozenset(_decoded(events)), frozenset(_decoded(types)))
            for pk, start, events, types in query(f"{chosen} WHERE active AND delivery_method = 'webhook'")
        ],
        deliveries=[
            Delivery(f"dlv_{pk}", subscription, seq, outcome)
            for pk, subscription, seq, outcome in query(
                "SELECT id, subscription_id, seq, outcome FROM webhooks_delivery"
            )
        ],
        cases={issue for (issue,) in query("SELECT issue_id FROM triage_case")},
        dead=[tuple(row) for row in query("SELECT consumer, seq FROM substrate_deadevent WHERE resolved_at IS NULL")],
    )


def _parts(query: Query) -> dict[str, Counter[str]]:
    found: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for part, statement in PARTS.items():
        for (thread,) in query(statement):
            found[thread][part] += 1
    return dict(found)


def _decoded(value: Any) -> Any:
    """SQLite keeps JSON as text."""
    return json.loads(value) if isinstance(value, str) else value
