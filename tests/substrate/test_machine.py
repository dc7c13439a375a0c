"""Whatever is stored, corrected, deleted, restored, merged, split and related, in whatever order: the substrate holds
what a plain model holds, and all that derives from facts can be worked out from them again."""

from __future__ import annotations

import time
from collections.abc import Iterator
from datetime import datetime
from typing import Any

import pytest
from django.core.management import call_command
from django.db import transaction
from django.utils import timezone
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

from neotoma.operations.invoke import call
from neotoma.substrate import schema
from neotoma.substrate.drafts import INSTANCE
from neotoma.substrate.errors import Refusal
from neotoma.substrate.identity import canonical_key, entity_id
from neotoma.substrate.models import Entity, Relationship
from neotoma.substrate.schema import EntityType, register_type
from tests.substrate.plain_model import Plain, Snapshot, Statement
from tests.substrate.test_rebuild import image
from tests.support import callers

TYPE = "model_thing"
IDENTITY = (("title",),)
WORDS = st.lists(st.sampled_from("xyz"), max_size=2)
FIELDS: dict[str, st.SearchStrategy[Any]] = {
    "n": st.none() | st.integers(0, 2),
    "note": st.none() | st.sampled_from(["", "long", "short"]),
    "best": st.none() | st.integers(0, 3),
    "tags": st.none() | WORDS | st.fixed_dictionaries({}, optional={"add": WORDS, "remove": WORDS}),
}
SOME_FIELDS = st.fixed_dictionaries({}, optional=FIELDS)
ONE_FIELD = st.sampled_from(sorted(FIELDS)).flatmap(lambda name: st.tuples(st.just(name), FIELDS[name]))
ANY = st.integers(0, 1_000)
"""Stands for any of what there is."""


class Machine(RuleBasedStateMachine):
    def __init__(self) -> None:
        super().__init__()
        self.atomic = transaction.atomic()
        self.atomic.__enter__()
        self.model = Plain()
        self.remembered: tuple[datetime, dict[str, tuple[str, Snapshot]]] | None = None

    @initialize()
    def begin(self) -> None:
        self.ant = callers.agent()

    def teardown(self) -> None:
        try:
            self.check_the_past()
            before = image()
            call_command("rebuild_projections", verbosity=0, stdout=_Nowhere(), stderr=_Nowhere())
            assert image() == before
        finally:
            transaction.set_rollback(True)
            self.atomic.__exit__(None, None, None)

    # -- What is done -------------------------------------------------------------------------------------------------

    @rule(title=st.sampled_from("abcd"), fields=SOME_FIELDS, weight=st.integers(0, 2), into=st.none() | ANY)
    def store(self, title: str, fields: dict[str, Any], weight: int, into: int | None) -> None:
        stated = {"title": title, **fields}
        by_name = entity_id(INSTANCE, TYPE, canonical_key(stated, IDENTITY))
        given = self.any_of(self.model.ids, into) if into is not None and self.model.ids else None
        entity = {"entity_type": TYPE, **stated, **({"target_id": given} if given else {})}
        [stored] = call("store", {"entities": [entity], "source_priority": weight}, self.ant)["entities"]
        self.learn(given or by_name, stored["observation_id"], "store", stated, weight)
        assert stored["entity_id"] == self.model.root(given or by_name)

    @precondition(lambda self: self.model.ids)
    @rule(which=ANY, change=ONE_FIELD)
    def correct(self, which: int, change: tuple[str, Any]) -> None:
        one, (field, value) = self.any_of(self.model.ids, which), change
        done = call("correct", {"entity_id": one, "field": field, "value": value}, self.ant)
        self.learn(one, done["observation_id"], "correction", {field: value}, 100)
        assert done.get("value") == self.model.snapshot(self.model.root(one)).get(field)

    @precondition(lambda self: self.model.ids)
    @rule(which=ANY, restores=st.booleans())
    def delete_or_restore(self, which: int, restores: bool) -> None:
        one = self.any_of(self.model.ids, which)
        root = self.model.root(one)
        name, kind = ("restore_entity", "restoration") if restores else ("delete_entity", "deletion")
        done = call(name, {"entity_id": one}, self.ant)
        if self.model.deleted(root) == restores:
            newest = Entity.objects.get(pk=root).observations.latest("pk")
            self.learn(root, newest.public_id, kind, {}, 100)
            assert done["action"] == ("restored" if restores else "deleted")
        else:
            assert done["action"] == "unchanged"

    @precondition(lambda self: len(self.model.ids) > 1)
    @rule(gone=ANY, kept=ANY)
    def merge(self, gone: int, kept: int) -> None:
        a, b = self.any_of(self.model.ids, gone), self.any_of(self.model.ids, kept)
        source, target = self.model.root(a), self.model.root(b)
        refused = (a in (b, source)) if source == target else self.any_deleted(source, target)
        done = self.attempt("merge_entities", refused, from_entity_id=a, to_entity_id=b)
        if done is not None and source != target:
            self.model.parent[source] = target

    @precondition(lambda self: self.model.parent)
    @rule(which=ANY)
    def take_a_merge_back(self, which: int) -> None:
        piece = self.any_of(sorted(self.model.parent), which)
        whole = self.model.root(piece)
        done = self.attempt("split_entity", self.any_deleted(whole), entity_id=whole, merged_entity_id=piece)
        if done is not None:
            del self.model.parent[piece]

    @precondition(lambda self: self.model.ids)
    @rule(which=ANY, chosen=st.sets(st.integers(0, 8), min_size=1, max_size=4))
    def split(self, which: int, chosen: set[int]) -> None:
        whole = self.any_of(self.model.roots(), which)
        movable = self.model.movable(whole)
        named = [one for position, one in enumerate(movable) if position in chosen]
        if not named:
            return
        refused = self.any_deleted(whole) or len(named) == len(movable)
        ids = [f"obs_{one.key}" for one in named]
        done = self.attempt("split_entity", refused, entity_id=whole, observation_ids=ids)
        if done is not None:
            assert done["new_entity_id"] not in self.model.ids
            self.model.ids.append(done["new_entity_id"])
            for one in named:
                one.home = done["new_entity_id"]

    @precondition(lambda self: len(self.model.ids) > 1)
    @rule(one=ANY, other=ANY, takes_back=st.booleans())
    def relate(self, one: int, other: int, takes_back: bool) -> None:
        a, b = self.any_of(self.model.ids, one), self.any_of(self.model.ids, other)
        pair = self.model.pair(a, b)
        edge = {"relationship_type": "REFERS_TO", "source_entity_id": a, "target_entity_id": b}
        if takes_back:
            if self.attempt("delete_relationship", not self.model.stated(pair), **edge) is not None:
                self.model.unrelate(a, b)
        elif self.attempt("create_relationships", pair[0] == pair[1], relationships=[edge]) is not None:
            self.model.relate(a, b)

    @precondition(lambda self: self.model.ids and self.remembered is None)
    @rule()
    def remember(self) -> None:
        time.sleep(0.001)
        known = {one: (self.model.root(one), self.model.snapshot(self.model.root(one))) for one in self.model.ids}
        self.remembered = (timezone.now(), known)
        time.sleep(0.001)

    # -- What must hold ------------------------------------------------------------------------------------------------

    @invariant()
    def entities_hold_what_the_model_holds(self) -> None:
        rows = Entity.objects.filter(entity_type=TYPE)
        held = {row.pk: (row.merged_root_id, row.snapshot, row.observation_count, bool(row.deleted_at)) for row in rows}
        assert held.keys() == set(self.model.ids)
        for one in self.model.ids:
            root = self.model.root(one)
            if root != one:
                assert held[one][0] == root
            else:
                count = len(self.model.statements_of(one))
                assert held[one] == (None, self.model.snapshot(one), count, self.model.deleted(one))

    @invariant()
    def edges_hold_what_the_model_holds(self) -> None:
        standing = Relationship.objects.filter(deleted_at=None).values_list("source_id", "target_id")
        assert sorted(standing) == sorted(self.model.standing())

    @invariant()
    def what_is_indexed_is_found(self) -> None:
        wanted = {one for one in self.model.roots() if self.model.snapshot(one).get("n") == 1}
        alive = {one for one in wanted if not self.model.deleted(one)}
        if self.model.ids:
            asked = {"entity_type": TYPE, "filters": {"n": {"op": "eq", "value": 1}}, "limit": 100}
            assert {row["entity_id"] for row in call("retrieve_entities", asked, self.ant)["entities"]} == alive

    def check_the_past(self) -> None:
        """What was known at the time that was remembered is known to have been known."""
        moment, known = self.remembered or (None, {})
        for one, (root, snapshot) in known.items():
            asked = {"entity_id": one, "at_ingested": moment and moment.isoformat()}
            found = call("retrieve_entity_snapshot", asked, self.ant)
            assert (found["entity_id"], found["snapshot"]) == (root, snapshot)

    # -- How -----------------------------------------------------------------------------------------------------------

    def any_of(self, ids: list[str], which: int) -> str:
        return ids[which % len(ids)]

    def any_deleted(self, *ids: str) -> bool:
        return any(self.model.deleted(one) for one in ids)

    def learn(self, home: str, observation: str, kind: str, fields: dict[str, Any], weight: int) -> None:
        """What is stated of an entity that was merged away is stated of what it became."""
        if home not in self.model.ids:
            self.model.ids.append(home)
        key = int(observation.removeprefix("obs_"))
        self.model.statements.append(Statement(key, kind, fields, weight, self.model.root(home)))

    def attempt(self, name: str, refused: bool, **arguments: Any) -> dict[str, Any] | None:
        """Call it; None when it is refused, as it must be exactly when the model says so."""
        try:
            done = call(name, arguments, self.ant)
        except Refusal as refusal:
            assert refused, refusal.message
            return None
        assert not refused
        return done


class _Nowhere:
    def write(self, text: str) -> None:
        """Nobody reads it."""


@pytest.fixture
def thing(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(schema, "_TYPES", dict(schema._TYPES))
    reducers: Any = {"tags": "merge_array", "best": "highest_priority"}
    register_type(EntityType(TYPE, "A thing.", identity=IDENTITY, indexed=frozenset({"n"}), reducers=reducers))
    yield


@pytest.mark.django_db
@pytest.mark.usefixtures("thing")
def test_the_substrate_holds_what_a_plain_model_holds() -> None:
    run_state_machine_as_test(Machine, settings=settings(stateful_step_count=20))
