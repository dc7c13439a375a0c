"""The reads whose cost must not grow with the instance, each with arguments by chance, and how long they take."""

from __future__ import annotations

import random
import statistics
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from benchmarks.measure import percentile
from benchmarks.scale_rows import id_at, open_at, type_at
from neotoma.access.authenticate import from_api_token
from neotoma.access.bootstrap import mint
from neotoma.access.models import Agent
from neotoma.operations.invoke import Caller, call

Arguments = Callable[[random.Random, int], dict[str, Any]]
"""From chance and the number of entities to the arguments of one call."""


@dataclass(frozen=True, slots=True)
class Read:
    operation: str
    arguments: Arguments
    found: str
    """The member of the answer that must not be empty: an empty answer is no measurement."""


def _entity(chance: random.Random, size: int) -> dict[str, Any]:
    """A visible one."""
    return {"entity_id": id_at(open_at(chance.randrange(size)))}


def _filter(chance: random.Random, size: int) -> dict[str, Any]:
    person = f"person {chance.randrange(min(size, 5_000)) // 10 * 10}"
    filters = chance.choice(
        [
            {"status": {"op": "eq", "value": chance.choice(["open", "rejected"])}},
            {"assignee": {"op": "eq", "value": person}},
            {"priority": {"op": "gte", "value": chance.randrange(90)}},
            {"due": {"op": "lt", "value": f"2026-{chance.randrange(2, 13):02}-01"}},
            {"status": {"op": "in", "value": ["waiting", "done"]}, "priority": {"op": "gt", "value": 50}},
        ]
    )
    return {"entity_type": "ticket", "filters": filters}


def _words(chance: random.Random, size: int) -> dict[str, Any]:
    number = chance.randrange(size // 10) * 10
    common, rare = ("request" if number % 2 == 0 else "report"), f"part{number % 1_000}"
    return {"search": chance.choice([common, rare, f"{common} {rare}", f"{type_at(number)} {number}"])}


READS: Mapping[str, Read] = {
    "snapshot": Read("retrieve_entity_snapshot", _entity, "snapshot"),
    "list of 20": Read("retrieve_entities", lambda chance, size: {"entity_type": "ticket"}, "entities"),
    "filtered list": Read("retrieve_entities", _filter, "entities"),
    "neighbourhood": Read(
        "retrieve_graph_neighborhood", lambda chance, size: {**_entity(chance, size), "max_hops": 1}, "entities"
    ),
    "full text": Read("retrieve_entities", _words, "entities"),
    "hub": Read("retrieve_graph_neighborhood", lambda chance, size: {"entity_id": id_at(0), "max_hops": 1}, "entities"),
    "relationships": Read("list_relationships", _entity, "relationships"),
    "timeline": Read("retrieve_timeline", _entity, "events"),
    "recent changes": Read("list_recent_changes", lambda chance, size: {"entity_types": ["note"]}, "changes"),
    "entity types": Read("list_entity_types", lambda chance, size: {}, "entity_types"),
}


@dataclass(frozen=True, slots=True)
class Timing:
    """Milliseconds of one read at one size."""

    p50: float
    p95: float


def reader() -> Caller:
    """An agent that sees all but what is private, and owns nothing."""
    agent, _ = Agent.objects.get_or_create(name="reader")
    return Caller(from_api_token(mint(agent=agent, scopes=["read"])), "process")


def measured(size: int, calls: int, rounds: int = 3) -> dict[str, Timing]:
    """Every read so often, one after the other by turns; of the rounds the fastest, as other work only adds."""
    caller, chance = reader(), random.Random(size)
    found: dict[str, list[list[float]]] = {name: [] for name in READS}
    for name in READS:
        timed(name, size, chance, caller, calls=10)
    for _ in range(rounds):
        for name in READS:
            found[name].append(timed(name, size, chance, caller, calls))
    return {
        name: Timing(
            min(statistics.median(times) for times in rounds_of), min(percentile(times, 0.95) for times in rounds_of)
        )
        for name, rounds_of in found.items()
    }


def timed(name: str, size: int, chance: random.Random, caller: Caller, calls: int) -> list[float]:
    """Milliseconds of each call. Raises AssertionError when one finds nothing."""
    read, times = READS[name], []
    for _ in range(calls):
        arguments = read.arguments(chance, size)
        started = time.perf_counter()
        answer = call(read.operation, arguments, caller)
        times.append((time.perf_counter() - started) * 1_000)
        assert answer[read.found], f"{name} found nothing for {arguments}"
    return times
