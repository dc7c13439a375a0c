"""The collector's other half: where a report's terms occur in a checkout, what forbids what, what came later."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from triage.facts import CommitFact, ConstraintLine, FileHit, RepositoryFacts, SearchFacts
from triage.git import run_git, valid_sha
from triage.repository import tags_with
from triage.sensitivity import is_test_path, rules_for, stem_under_test
from triage.terms import SearchTerms, issue_references
from triage.text import tokens
from triage.verdict import forbidding_lines

MAX_TREE_BYTES = 8 * 1024 * 1024
MAX_GREP_BYTES = 512 * 1024
MAX_DOCUMENT_BYTES = 256 * 1024
MAX_DOCUMENTS = 20
MAX_COMMITS = 300
MAX_RELEVANT = 40
MAX_LINES = 10
MAX_TESTS = 50
# A term in more files than this is the project's vocabulary, not a clue.
COMMONPLACE = 40

_DEFINES = r"\b(?:def|class|function|func|fn|interface|struct|trait|type|table)\s+(?:\([^)]{0,80}\)\s*)?"


def search(path: Path, terms: SearchTerms, facts: RepositoryFacts) -> SearchFacts:
    """Look for `terms` where the reporter's code lives, and for what happened on the default branch since.

    `facts` are the collector's own of the same checkout. Raises GitFailed.
    """
    at = facts.looked_at
    if at is None:
        return SearchFacts()
    listed = run_git(path, "ls-tree", "-r", "--name-only", "-z", "--end-of-options", at,
                     limit_bytes=MAX_TREE_BYTES, allow_partial=True)  # fmt: skip
    tree = listed.fields
    hits = [*_named(tree, terms), *_in_text(path, at, terms)]
    stems = {hit.path.rsplit("/", 1)[-1].split(".")[0] for hit in hits}
    return SearchFacts(
        hits=tuple(hits),
        constraints=tuple(_constraints(path, at, tree)),
        later_commits=tuple(_later(path, terms, facts.base, facts.default_sha)),
        test_files=tuple(file for file in tree if is_test_path(file) and stem_under_test(file) in stems)[:MAX_TESTS],
        has_changelog="CHANGELOG.md" in tree,
        truncated=listed.partial,
    )


def _named(tree: Sequence[str], terms: SearchTerms) -> Iterator[FileHit]:
    """Files that the report names by path, or whose own name is one of its words."""
    words = set(terms.words)
    for file in tree:
        for term in terms.paths:
            plain = term.lstrip("/")
            if file == plain or file.endswith(f"/{plain}") or plain.endswith(f"/{file}"):
                yield FileHit(path=file, term=term, how="name")
        stem = file.rsplit("/", 1)[-1].split(".")[0]
        for word in words.intersection(tokens(stem.replace("_", " "))):
            yield FileHit(path=file, term=word, how="name")


def _in_text(path: Path, at: str, terms: SearchTerms) -> Iterator[FileHit]:
    for symbol in terms.symbols:
        yield from _telling(symbol, _grep(path, at, symbol, "-w"))
    for word in terms.words:
        yield from _telling(word, _grep(path, at, word, "-i"))


def _grep(path: Path, at: str, term: str, *how: str) -> dict[str, list[tuple[int, str]]]:
    """Lines that hold the term, by file. git 2.39 takes `--end-of-options` here for a revision; `at` is an id."""
    found = run_git(path, "grep", "-I", "-n", "-z", "-F", *how, "-e", term, at, "--",
                    accept=(0, 1), limit_bytes=MAX_GREP_BYTES, allow_partial=True)  # fmt: skip
    hits: dict[str, list[tuple[int, str]]] = {}
    for line in found.text.split("\n"):
        name, _, rest = line.partition("\0")
        number, _, text = rest.partition("\0")
        if number.isdigit():
            hits.setdefault(name.removeprefix(f"{at}:"), []).append((int(number), text[:400]))
    return hits


def _telling(term: str, found: dict[str, list[tuple[int, str]]]) -> Iterator[FileHit]:
    defines = re.compile(rf"{_DEFINES}{re.escape(term)}\b")
    for file, lines in found.items():
        numbers = tuple(number for number, _ in lines[:MAX_LINES])
        if any(defines.search(text) for _, text in lines):
            yield FileHit(path=file, term=term, how="definition", lines=numbers)
        elif len(found) <= COMMONPLACE:
            yield FileHit(path=file, term=term, how="text", lines=numbers)


def _constraints(path: Path, at: str, tree: Iterable[str]) -> Iterator[ConstraintLine]:
    documents = [file for file in tree if _is_foundation(file)][:MAX_DOCUMENTS]
    for document in documents:
        text = run_git(
            path, "cat-file", "blob", f"{at}:{document}", limit_bytes=MAX_DOCUMENT_BYTES, allow_partial=True
        ).text
        yield from forbidding_lines(document, text)


def _is_foundation(file: str) -> bool:
    document = file.casefold().endswith((".md", ".rst", ".txt", ".adoc"))
    return document and any(rule.name == "foundation documents" for rule in rules_for(file))


def _later(path: Path, terms: SearchTerms, since: str | None, until: str | None) -> Iterator[CommitFact]:
    """Commits after `since` whose message names a symbol or an issue, newest first."""
    if since is None or until is None:
        return
    log = run_git(path, "log", "--no-merges", f"--max-count={MAX_COMMITS}", "--name-only", "-z", "--no-renames",
                  "--format=%x01%H%x02%B%x03", "--end-of-options", f"{since}..{until}", "--",
                  allow_partial=True)  # fmt: skip
    relevant = 0
    for record in log.text.split("\x01")[1:]:
        sha, _, rest = record.partition("\x02")
        message, _, files = rest.partition("\x03")
        message = message.strip()[:4_000]
        if not valid_sha(sha) or not (terms.mentioned_in(message) or issue_references(message)):
            continue
        names = tuple(name.strip("\n") for name in files.split("\0") if name.strip("\n"))[:200]
        yield CommitFact(sha=sha, message=message, files=names, tag=next(iter(tags_with(path, sha, 1)), None))
        relevant += 1
        if relevant >= MAX_RELEVANT:
            return
