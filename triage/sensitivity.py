"""The declared sensitivity map (pure data and its look-up): which paths and topics need a person, or are refused."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from fnmatch import fnmatchcase

from triage.schemas import GateDecision

MAX_FILES = 8
MAX_CHANGED_LINES = 300
MAX_AREAS = 3


@dataclass(frozen=True)
class PathRule:
    """Matches a lower-case path by glob (`*` crosses slashes) or by a whole word of any of its parts."""

    name: str
    decision: GateDecision
    reason: str
    globs: tuple[str, ...] = ()
    words: frozenset[str] = frozenset()

    def matches(self, path: str) -> bool:
        plain = "/" + path.strip().casefold().replace("\\", "/")
        if any(fnmatchcase(plain, glob) for glob in self.globs):
            return True
        return not self.words.isdisjoint(re.split(r"[^a-z0-9]+", plain))


@dataclass(frozen=True)
class TopicRule:
    name: str
    reason: str
    pattern: re.Pattern[str]


_SECURITY_WORDS = """
auth authn authz authenticate authentication authorize authorization permission permissions security redaction redact
redactor crypto cryptography encryption signing secret secrets token tokens credential credentials password passwords
session sessions oauth saml acl rbac access policy csrf sandbox visibility privacy guardian login
"""

PATH_RULES: tuple[PathRule, ...] = (
    PathRule(
        "outside the repository", "refuse", "the path leaves the checkout or enters git's own files",
        globs=("//*", "*/../*", "*/..", "*/.git", "*/.git/*", "/?:/*", "/~*", "*\x00*"),
    ),
    PathRule(
        "secrets", "refuse", "files that hold keys or credentials are never written by a run",
        globs=("*/.env", "*/.env.*", "*.pem", "*.p12", "*.pfx", "*.key", "*.keystore", "*/id_rsa*", "*/id_ed25519*",
               "*/.netrc", "*/.npmrc", "*/.pypirc"),
    ),
    PathRule(
        "schema and migrations", "ask", "stored data changes shape",
        globs=("*/migrations/*", "*/migration/*", "*/alembic/*", "*/models.py", "*/models/*.py", "*/schema*.py",
               "*/schema/*", "*/schemas/*", "*.sql", "*.proto", "*.prisma", "*/schema.*"),
    ),
    PathRule(
        "security, redaction and permission code", "ask", "a mistake here opens a hole",
        words=frozenset(_SECURITY_WORDS.split()),
    ),
    PathRule(
        "foundation documents", "ask", "the project's own rules change only by a person's hand",
        globs=("*/architecture*", "*/contributing*", "*/security.*", "*/license*", "*/governance*",
               "*/code_of_conduct*",
               "*/adr/*", "*/adrs/*", "*/decisions/*", "*/foundation/*", "*/agents.md", "*/claude.md", "*/.cursor/*",
               "*/.claude/*", "*/codeowners"),
    ),
    PathRule(
        "dependencies", "ask", "other people's code comes in",
        globs=("*/pyproject.toml", "*/setup.py", "*/setup.cfg", "*/requirements*", "*.lock",
               "*/pipfile", "*/package.json",
               "*/package-lock.json", "*/npm-shrinkwrap.json", "*/pnpm-lock.yaml", "*/cargo.toml",
               "*/go.mod", "*/go.sum",
               "*/gemfile", "*/composer.json", "*/pom.xml", "*/build.gradle*", "*/.gitmodules", "*/vendor/*"),
    ),
    PathRule(
        "CI and release", "ask", "it runs with the project's own rights",
        globs=("*/.github/*", "*/.gitlab-ci*", "*/.circleci/*", "*/.ci/*", "*/jenkinsfile*", "*/azure-pipelines*",
               "*/.pre-commit-config.yaml", "*/makefile", "*/dockerfile*", "*/compose*.y*ml", "*/docker-compose*",
               "*/tox.ini", "*/noxfile.py", "*/conftest.py", "*/.goreleaser*", "*/release*", "*/deploy*",
               "*/.gitattributes",
               "*/manage.py", "*/sitecustomize.py", "*.pth"),
    ),
)  # fmt: skip

TOPIC_RULES: tuple[TopicRule, ...] = (
    TopicRule(
        "schema",
        "the report is about the shape of stored data",
        re.compile(
            r"\b(?:schema change|change the schema|(?:database|data) migration|breaking change"
            r"|(?:add|drop|rename|remove) (?:a |the )?column)\b"
        ),
    ),
    TopicRule(
        "security",
        "the report is about protection of data",
        re.compile(
            r"\b(?:permission model|access control|authori[sz]ation|authentication|encrypt(?:ion|ed|s)?"
            r"|redact(?:ion|ed|s)?|private key)\b"
        ),
    ),
    TopicRule(
        "architecture",
        "the report asks about a boundary of the design",
        re.compile(
            r"\b(?:architectur(?:e|al)|redesign|rewrite|replace (?:the )?(?:database|queue|broker|framework)"
            r"|layer(?:ing)? (?:violation|boundary)|public api)\b"
        ),
    ),
    TopicRule(
        "law and money",
        "a person answers for it",
        re.compile(r"\b(?:licen[cs](?:e|ing) (?:change|text)|relicens(?:e|ing)|gdpr|payments?|invoices?|billing)\b"),
    ),
    TopicRule(
        "loss of data",
        "what is deleted may not come back",
        re.compile(r"\b(?:delete|purge|wipe|erase|truncate)s? (?:all|every|old|existing|user|production) \w{1,20}"),
    ),
)


def rules_for(path: str) -> tuple[PathRule, ...]:
    """Every rule that a path falls under; an empty tuple means that it is eligible for automation."""
    return tuple(rule for rule in PATH_RULES if rule.matches(path))


def topics_of(folded_text: str) -> tuple[TopicRule, ...]:
    """Every declared topic that a folded text is about."""
    return tuple(rule for rule in TOPIC_RULES if rule.pattern.search(folded_text))


def areas(paths: Iterable[str]) -> frozenset[str]:
    """The top-level directories that paths lie in; tests belong to what they test."""
    return frozenset(path.split("/", 1)[0] for path in paths if "/" in path and not is_test_path(path))


def is_test_path(path: str) -> bool:
    """True for a file of tests, by directory or by name."""
    parts = path.casefold().split("/")
    name = parts[-1]
    return (
        not {"test", "tests", "spec", "specs", "__tests__"}.isdisjoint(parts[:-1])
        or name.startswith("test_")
        or any(mark in name for mark in ("_test.", ".test.", ".spec."))
    )


def stem_under_test(path: str) -> str:
    """What a file of tests tests, by the usual ways to name one; the file's own stem otherwise."""
    stem = path.rsplit("/", 1)[-1].split(".")[0]
    return stem.removeprefix("test_").removesuffix("_test").removesuffix("_spec")
