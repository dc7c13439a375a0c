from __future__ import annotations

from typing import Any

from triage.facts import FileHit, SearchFacts
from triage.suspects import MAX_SUSPECTED, suspect


def found(*hits: tuple[str, str, Any]) -> SearchFacts:
    return SearchFacts(hits=tuple(FileHit(path=path, term=term, how=how) for path, term, how in hits))


def paths(*hits: tuple[str, str, Any]) -> list[str]:
    return [file.path for file in suspect(found(*hits))]


def test_where_it_is_defined_outranks_where_it_is_used() -> None:
    hits = [("a/use.py", "put", "text"), ("a/store.py", "put", "definition"), ("a/use.py", "get", "text")]
    assert paths(*hits) == ["a/store.py"]


def test_a_named_file_is_suspected() -> None:
    assert paths(("shelf/store.py", "shelf/store.py", "name")) == ["shelf/store.py"]


def test_one_stray_word_suspects_nobody() -> None:
    assert paths(("a/x.py", "field", "text")) == []


def test_tests_and_documents_are_not_suspects() -> None:
    assert paths(("tests/test_a.py", "put", "definition"), ("README.md", "put", "name")) == []


def test_a_term_counts_once_a_file_by_its_strongest_hit() -> None:
    (file,) = suspect(found(("a.py", "put", "text"), ("a.py", "put", "definition")))
    assert (file.score, file.reasons) == (3.0, ("definition: put",))


def test_those_far_behind_and_beyond_the_bound_are_left_out() -> None:
    near = [(f"m{n}.py", "put", "definition") for n in range(9)]
    far = [("far.py", word, "text") for word in ("a", "b", "c")]
    best = [("m0.py", word, "definition") for word in ("get", "set")]
    assert paths(*near, *far, *best) == ["m0.py"]
    assert len(paths(*near)) == MAX_SUSPECTED
