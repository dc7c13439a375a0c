from __future__ import annotations

import pytest

from triage.sensitivity import areas, is_test_path, rules_for, stem_under_test, topics_of


@pytest.mark.parametrize(
    ("path", "decision", "rule"),
    [
        ("/etc/passwd", "refuse", "outside the repository"),
        ("a/../../b", "refuse", "outside the repository"),
        (".git/config", "refuse", "outside the repository"),
        ("sub/.GIT/hooks/post-checkout", "refuse", "outside the repository"),
        ("C:\\windows\\x", "refuse", "outside the repository"),
        (".env", "refuse", "secrets"),
        ("deploy/server.pem", "refuse", "secrets"),
        ("shop/migrations/0002_x.py", "ask", "schema and migrations"),
        ("migrations/0001_initial.sql", "ask", "schema and migrations"),
        ("shop/models.py", "ask", "schema and migrations"),
        ("api/Schemas.py", "ask", "schema and migrations"),
        ("app/auth/views.py", "ask", "security, redaction and permission code"),
        ("app/token_store.py", "ask", "security, redaction and permission code"),
        ("neotoma/redaction/guard.py", "ask", "security, redaction and permission code"),
        ("ARCHITECTURE.md", "ask", "foundation documents"),
        ("docs/adr/0001.md", "ask", "foundation documents"),
        ("AGENTS.md", "ask", "foundation documents"),
        ("pyproject.toml", "ask", "dependencies"),
        ("requirements-dev.lock", "ask", "dependencies"),
        ("web/package-lock.json", "ask", "dependencies"),
        (".github/workflows/ci.yml", "ask", "CI and release"),
        ("Makefile", "ask", "CI and release"),
        ("tests/conftest.py", "ask", "CI and release"),
    ],
)
def test_paths_fall_under_their_rule(path: str, decision: str, rule: str) -> None:
    assert (rule, decision) in [(found.name, found.decision) for found in rules_for(path)]


@pytest.mark.parametrize(
    "path",
    ["shelf/store.py", "src/author.py", "lib/tokenizer.js", "docs/guide.md", "README.md", ".gitignore", "a/keys.py"],
)
def test_ordinary_paths_are_free(path: str) -> None:
    assert rules_for(path) == ()


@pytest.mark.parametrize(
    ("text", "topic"),
    [
        ("this needs a database migration", "schema"),
        ("change the permission model", "security"),
        ("we should redesign it", "architecture"),
        ("gdpr export", "law and money"),
        ("it should delete all observations", "loss of data"),
    ],
)
def test_topics(text: str, topic: str) -> None:
    assert [rule.name for rule in topics_of(text)] == [topic]


@pytest.mark.parametrize("text", ["permission denied: x", "storing drops a field", "the delete button is grey"])
def test_passing_words_are_no_topic(text: str) -> None:
    assert topics_of(text) == ()


@pytest.mark.parametrize("path", ["tests/test_a.py", "a_test.go", "src/__tests__/x.js", "x.spec.ts", "test_x.py"])
def test_tests_are_known_by_place_or_name(path: str) -> None:
    assert is_test_path(path)


def test_a_file_that_only_sounds_like_tests_is_none() -> None:
    assert not is_test_path("src/contest.py")
    assert not is_test_path("shelf/testing_tools.py")


@pytest.mark.parametrize(
    ("path", "stem"), [("t/test_store.py", "store"), ("store_test.go", "store"), ("x/store.spec.ts", "store")]
)
def test_what_a_test_tests(path: str, stem: str) -> None:
    assert stem_under_test(path) == stem


def test_areas_are_the_top_directories_of_source() -> None:
    assert areas(["a/x.py", "a/b/y.py", "c/z.py", "README.md", "tests/test_x.py"]) == {"a", "c"}
