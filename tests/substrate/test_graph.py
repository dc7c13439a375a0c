"""A walk reaches what a plain breadth-first search over what is visible reaches."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone
from hypothesis import given
from hypothesis import strategies as st

from neotoma.substrate import graph
from neotoma.substrate.actors import EVERYTHING, NOTHING, SYSTEM, Audience
from neotoma.substrate.drafts import Draft, Edge
from neotoma.substrate.store import open_write

pytestmark = pytest.mark.django_db

AGENT = Audience(internal=True, public=True)
Arc = tuple[int, int, str]
NODES = st.lists(st.tuples(st.sampled_from(["task", "note"]), st.booleans()), min_size=2, max_size=8)
ARCS = st.lists(st.tuples(st.integers(0, 7), st.integers(0, 7), st.sampled_from(["REFERS_TO", "PART_OF"])), max_size=20)


def planted(nodes: Sequence[tuple[str, bool]], arcs: Sequence[Arc]) -> list[str]:
    """Entities (type, whether private) and edges between them; the ids by number."""
    drafts = [
        Draft(kind, {"n": number}, visibility="private" if hid else "internal")
        for number, (kind, hid) in enumerate(nodes)
    ]
    with open_write(SYSTEM, timezone.now()) as write:
        ids = [item.entity.pk for item in write.put(drafts)]
        write.link([Edge(kind, ids[one], ids[other]) for one, other, kind in arcs])
    return ids


def chain(length: int) -> list[str]:
    return planted([("task", False)] * length, [(n, n + 1, "REFERS_TO") for n in range(length - 1)])


def expected(
    nodes: Sequence[tuple[str, bool]], arcs: Sequence[Arc], paths: graph.Paths, *, all_seen: bool
) -> dict[int, int]:
    hops, frontier = {0: 0}, [0]
    for hop in range(1, paths.hops + 1):
        new = []
        for one, other, kind in arcs:
            for near, far, direction in ((one, other, "outbound"), (other, one, "inbound")):
                if near not in frontier or far in hops or far in new or paths.direction not in (direction, "both"):
                    continue
                if paths.relationship_types and kind not in paths.relationship_types:
                    continue
                if paths.entity_types and nodes[far][0] not in paths.entity_types:
                    continue
                if all_seen or not nodes[far][1]:
                    new.append(far)
        hops |= dict.fromkeys(new, hop)
        frontier = new
    return hops


@given(
    nodes=NODES,
    arcs=ARCS,
    direction=st.sampled_from(["inbound", "outbound", "both"]),
    types=st.sampled_from([(), ("PART_OF",), ("PART_OF", "REFERS_TO")]),
    kinds=st.sampled_from([(), ("task",), ("task", "note")]),
    hops=st.integers(1, 4),
    all_seen=st.booleans(),
)
def test_a_walk_reaches_what_a_plain_search_reaches(
    nodes: list[tuple[str, bool]],
    arcs: list[Arc],
    direction: graph.Direction,
    types: tuple[str, ...],
    kinds: tuple[str, ...],
    hops: int,
    all_seen: bool,
) -> None:
    arcs = [(one % len(nodes), other % len(nodes), kind) for one, other, kind in arcs]
    arcs = [arc for arc in arcs if arc[0] != arc[1]]
    ids = planted(nodes, arcs)
    paths = graph.Paths(EVERYTHING if all_seen else AGENT, direction, types, kinds, hops, budget=50)
    reached = graph.walk(ids[0], paths)
    assert {ids.index(pk): away for pk, away in reached.hops.items()} == expected(nodes, arcs, paths, all_seen=all_seen)
    assert not reached.truncated


@pytest.mark.parametrize("budget", [1, 2, 3])
def test_a_budget_cuts_the_farthest_and_says_so(budget: int) -> None:
    ids = chain(4)
    reached = graph.walk(ids[0], graph.Paths(AGENT, hops=5, budget=budget))
    assert list(reached.hops) == ids[: budget + 1]
    assert reached.truncated == (budget < 3)
    assert len(reached.edges) == budget


def test_a_hub_is_not_read_whole_and_its_newest_come_first() -> None:
    ids = planted([("task", False)] * 30, [])
    for number in range(1, 30):
        with open_write(SYSTEM, timezone.now()) as write:
            ends = (ids[0], ids[number]) if number % 2 else (ids[number], ids[0])
            write.link([Edge("REFERS_TO", *ends)])
    reached = graph.walk(ids[0], graph.Paths(AGENT, budget=5))
    assert list(reached.hops) == [ids[0], *ids[29:24:-1]]
    assert reached.truncated


@pytest.mark.parametrize("width", [1, 20])
def test_a_hop_is_one_query_for_each_direction_however_wide(width: int) -> None:
    arcs = [(0, n, "REFERS_TO") for n in range(1, width + 1)]
    arcs += [(n, n + width, "REFERS_TO") for n in range(1, width + 1)]
    ids = planted([("task", False)] * (2 * width + 1), arcs)
    with CaptureQueriesContext(connection) as queries:
        reached = graph.walk(ids[0], graph.Paths(AGENT, hops=2, budget=100))
    assert (len(reached.hops), len(queries)) == (2 * width + 1, 4)


def test_nobody_sees_nothing() -> None:
    ids = chain(2)
    assert list(graph.walk(ids[0], graph.Paths(NOTHING)).hops) == ids[:1]
