from __future__ import annotations

from pathlib import Path

import pytest

from triage.facts import RepositoryFacts, SearchFacts
from triage.git import run_git
from triage.repository import collect_facts
from triage.repository_search import COMMONPLACE, search
from triage.schemas import ReporterFields
from triage.terms import SearchTerms

IDENTITY = {"user.name": "T", "user.email": "t@example.org"}


def look(path: Path, terms: SearchTerms, version: str | None = None, sha: str | None = None) -> SearchFacts:
    fields = ReporterFields(reporter_app_version=version, reporter_git_sha=sha)
    return search(path, terms, collect_facts(path, fields))


def how(found: SearchFacts, path: str) -> set[tuple[str, str]]:
    return {(hit.how, hit.term) for hit in found.hits if hit.path == path}


def test_definitions_uses_and_names_are_told_apart(pristine: Path) -> None:
    found = look(pristine, SearchTerms(symbols=("store_entity",), paths=("/app/shelf/store.py",), words=("stor",)))
    assert how(found, "shelf/store.py") >= {
        ("definition", "store_entity"),
        ("name", "/app/shelf/store.py"),
        ("name", "stor"),
    }
    assert how(found, "tests/test_store.py") >= {("text", "store_entity")}
    assert found.test_files == ("tests/test_store.py",)
    assert found.has_changelog


def test_lines_are_named(pristine: Path) -> None:
    found = look(pristine, SearchTerms(symbols=("find_titles",)))
    (hit,) = [hit for hit in found.hits if hit.path == "shelf/search.py"]
    assert (hit.how, hit.lines) == ("definition", (4,))


def test_a_symbol_is_a_whole_word_and_exact(pristine: Path) -> None:
    assert look(pristine, SearchTerms(symbols=("store_ent",))).hits == ()
    assert look(pristine, SearchTerms(symbols=("Store_Entity",))).hits == ()


@pytest.mark.parametrize("term", ["-e", "--help", "$(touch x)", ".*", "-O/bin/sh"])
def test_a_term_is_only_a_term(pristine: Path, term: str) -> None:
    assert look(pristine, SearchTerms(symbols=(term,))).hits == ()


def test_what_forbids_something_is_found_in_foundation_documents(pristine: Path) -> None:
    found = look(pristine, SearchTerms())
    assert {line.document for line in found.constraints} == {"ARCHITECTURE.md", "CONTRIBUTING.md"}
    assert any("must not open network connections" in line.text for line in found.constraints)


def test_commits_after_the_build_are_found_with_their_release(pristine: Path) -> None:
    (commit,) = look(pristine, SearchTerms(symbols=("find_titles",)), version="1.0.0").later_commits
    assert commit.message == "Fix find_titles, which missed titles in another case"
    assert set(commit.files) == {"CHANGELOG.md", "shelf/search.py", "tests/test_search.py"}
    assert commit.tag == "v1.1.0"


def test_commits_that_the_build_holds_or_that_say_nothing_are_not(pristine: Path) -> None:
    terms = SearchTerms(symbols=("find_titles",))
    assert look(pristine, terms, version="1.1.0").later_commits == ()
    assert look(pristine, SearchTerms(symbols=("read_entity",)), version="1.0.0").later_commits == ()
    assert look(pristine, terms).later_commits == ()


def test_a_commit_on_a_branch_is_searched_where_it_is(pristine: Path) -> None:
    sha = run_git(pristine, "rev-parse", "feature/labels").text.strip()
    terms = SearchTerms(symbols=("add_label",))
    assert how(look(pristine, terms, sha=sha), "shelf/labels.py") == {("definition", "add_label")}
    assert look(pristine, terms).hits == ()


def test_vocabulary_is_no_clue(sample: Path) -> None:
    for number in range(COMMONPLACE + 1):
        (sample / f"m{number}.py").write_text("use(frobnicate)\n")
    (sample / "home.py").write_text("def frobnicate(): pass\n")
    run_git(sample, "add", "-A")
    run_git(sample, "commit", "--quiet", "-m", "x", config=IDENTITY)
    found = look(sample, SearchTerms(symbols=("frobnicate",)))
    assert [(hit.path, hit.how) for hit in found.hits] == [("home.py", "definition")]


def test_odd_file_names_survive(sample: Path) -> None:
    name = 'odd\n"naïve: 1".py'
    (sample / name).write_text("def frobnicate(): pass\n")
    run_git(sample, "add", "-A")
    run_git(sample, "commit", "--quiet", "-m", "Fix frobnicate", config=IDENTITY)
    found = look(sample, SearchTerms(symbols=("frobnicate",)), version="1.1.0")
    assert [hit.how for hit in found.hits] == ["definition"]
    assert found.later_commits[0].files == (name,)


def test_without_a_commit_there_is_nothing_to_search(tmp_path: Path) -> None:
    assert search(tmp_path, SearchTerms(symbols=("x_y",)), RepositoryFacts()) == SearchFacts()


def test_search_facts_are_stored_as_json(pristine: Path) -> None:
    found = look(pristine, SearchTerms(symbols=("find_titles",)), version="1.0.0")
    assert SearchFacts.model_validate_json(found.model_dump_json()) == found
