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


def test_a_correction_of_an_array_replaces_it_or_changes_it() -> None:
    facts = [fact(1, {"tags": ["a", "b"]}), fact(2, {"tags": {"remove": ["a"], "add": ["c"]}}, kind="correction")]
    assert values(facts, tags="merge_array") == {"tags": ["b", "c"]}
    facts += [fact(3, {"tags": ["d"]}), fact(4, {"tags": ["e"]}, kind="correction"), fact(5, {"tags": ["f"]})]
    assert values(facts, tags="merge_array") == {"tags": ["e"]}


WORDS = st.lists(st.sampled_from("xyz"), max_size=3)
ARRAYS = st.none() | WORDS | st.fixed_dictionaries({}, optional={"add": WORDS, "remove": WORDS})
VALUES: dict[Strategy, st.SearchStrategy[Any]] = {
    "last_write": st.none() | st.integers(0, 3),
    "highest_priority": st.none() | st.integers(0, 3),
    "most_specific": st.none() | st.integers(0, 3),
    "merge_array": ARRAYS,
}
KINDS = ["store", "store", "store", "correction", "deletion", "restoration"]


@st.composite
def histories(draw: st.DrawFn) -> tuple[list[Fact], dict[str, Strategy]]:
    """Facts in order of arrival, observed at any time, and how each field is reduced."""
    strategy = draw(st.sampled_from(list(VALUES)))
    fields = st.dictionaries(st.sampled_from("abc"), VALUES[strategy], max_size=3)
    facts = []
    for number in range(draw(st.integers(0, 8))):
        at, weight = draw(st.integers(0, 9)), draw(st.integers(0, 2))
        kind = draw(st.sampled_from(KINDS))
        facts.append(fact(number, draw(fields), kind=kind, at=at, priority=weight, specificity=weight))
    return facts, dict.fromkeys("abc", strategy)


@given(histories(), st.randoms())
def test_order_of_arrival_does_not_matter(drawn: tuple[list[Fact], dict[str, Strategy]], chance: Any) -> None:
    facts, strategies = drawn
    assert reduce(facts, strategies) == reduce(chance.sample(facts, len(facts)), strategies)


@given(histories())
def test_applying_newer_facts_one_by_one_equals_reducing_all(drawn: tuple[list[Fact], dict[str, Strategy]]) -> None:
    facts, strategies = drawn
    state = State()
    for one in sorted(facts, key=lambda one: (one.observed_at, one.id)):
        assert is_newest(state, one)
        apply(state, one, strategies)
    assert state == reduce(facts, strategies)


@given(histories())
def test_what_is_never_stated_again_stays_as_it_was(drawn: tuple[list[Fact], dict[str, Strategy]]) -> None:
    facts, strategies = drawn
    other = fact(99, {"d": 1}, at=10)
    before, after = reduce(facts, strategies).values, reduce([*facts, other], strategies).values
    assert after == {**before, "d": 1}
