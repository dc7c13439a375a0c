from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from neotoma.substrate.reducer import Fact, State, Strategy, apply, is_newest, reduce


def fact(number: int, fields: dict[str, Any], *, kind: str = "store", at: int | None = None, **more: Any) -> Fact:
    moment = f"2026-01-01T00:00:{at if at is not None else number:02d}.000000Z"
    return Fact(id=number, kind=kind, fields=fields, actor=f"agent:{number}", observed_at=moment, **more)  # type: ignore[arg-type]


def values(facts: list[Fact], **strategies: Strategy) -> dict[str, Any]:
    return reduce(facts, strategies).values


def test_the_newest_fact_wins_and_an_absent_key_changes_nothing() -> None:
    facts = [fact(1, {"status": "open", "owner": "a"}), fact(2, {"status": "closed"})]
    assert values(facts) == {"status": "closed", "owner": "a"}


def test_a_correction_wins_over_every_later_ordinary_fact() -> None:
    facts = [fact(1, {"due": "x"}), fact(2, {"due": "y"}, kind="correction"), fact(3, {"due": "z"})]
    assert values(facts) == {"due": "y"}


def test_a_newer_correction_replaces_the_older_one() -> None:
    facts = [fact(1, {"due": "y"}, kind="correction"), fact(2, {"due": "w"}, kind="correction")]
    assert values(facts) == {"due": "w"}


def test_null_clears_and_provenance_says_who_cleared() -> None:
    state = reduce([fact(1, {"due": "x"}), fact(2, {"due": None}, kind="correction")], {})
    assert "due" not in state.values
    assert state.provenance["due"]["observation"] == 2


def test_a_correction_to_null_survives_a_later_value() -> None:
    facts = [fact(1, {"due": "x"}), fact(2, {"due": None}, kind="correction"), fact(3, {"due": "again"})]
    assert values(facts) == {}


def test_highest_priority_ignores_time() -> None:
    facts = [fact(1, {"n": 1}, priority=200), fact(2, {"n": 2}, priority=100)]
    assert values(facts, n="highest_priority") == {"n": 1}


def test_most_specific_ignores_time() -> None:
    facts = [fact(1, {"n": 1}, specificity=5), fact(2, {"n": 2}, specificity=1)]
    assert values(facts, n="most_specific") == {"n": 1}


def test_arrays_merge_and_remove_explicitly() -> None:
    facts = [fact(1, {"tags": ["a", "b"]}), fact(2, {"tags": ["b", "c"]}), fact(3, {"tags": {"remove": ["a"]}})]
    assert values(facts, tags="merge_array") == {"tags": ["b", "c"]}


def test_deletion_and_restoration_follow_time_not_arrival() -> None:
    late = [fact(1, {"a": 1}), fact(3, {}, kind="restoration"), fact(2, {}, kind="deletion")]
    assert reduce(late, {}).deleted is False


FIELDS = st.dictionaries(st.sampled_from("abc"), st.none() | st.integers(0, 3), max_size=3)
FACTS = st.lists(
    st.tuples(FIELDS, st.sampled_from(["store", "store", "correction", "deletion", "restoration"]), st.integers(0, 9)),
    max_size=8,
)
KINDS = st.sampled_from(["last_write", "highest_priority", "most_specific"])


@given(FACTS, st.randoms(), KINDS)
def test_order_of_arrival_does_not_matter(drawn: list[Any], chance: Any, strategy: Strategy) -> None:
    facts = [
        fact(i, fields, kind=kind, at=at, priority=at * 10, specificity=at)
        for i, (fields, kind, at) in enumerate(drawn)
    ]
    shuffled = chance.sample(facts, len(facts))
    strategies = dict.fromkeys("abc", strategy)
    assert reduce(facts, strategies) == reduce(shuffled, strategies)


@given(FACTS)
def test_applying_newer_facts_one_by_one_equals_reducing_all(drawn: list[Any]) -> None:
    ordered = sorted(drawn, key=lambda item: item[2])
    facts = [fact(i, fields, kind=kind, at=at) for i, (fields, kind, at) in enumerate(ordered)]
    state = State()
    for one in facts:
        assert is_newest(state, one)
        apply(state, one, {})
    assert state == reduce(facts, {})
