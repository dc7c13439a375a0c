from __future__ import annotations

from typing import Any

import pytest

from triage.environment import classify_environment
from triage.facts import RefFact, RepositoryFacts, ShaFact, VersionFact
from triage.schemas import EnvironmentFinding, ReporterFields

SHA = "a" * 40
OTHER = "b" * 40


def finding(fields: dict[str, str], **facts: Any) -> EnvironmentFinding:
    known: dict[str, Any] = {"available": True, "default_branch": "main", "default_sha": "c" * 40}
    return classify_environment(ReporterFields(**fields), RepositoryFacts(**{**known, **facts}))


def sha(**more: Any) -> ShaFact:
    return ShaFact(**{"known": True, "sha": SHA, "on_default": True, **more})


TAG = VersionFact(known=True, tag="v1.0.0", sha=SHA)
BRANCH = RefFact(known=True, name="feature/x", kind="branch", sha=SHA)
MAIN = RefFact(known=True, name="main", kind="default", sha=OTHER)


@pytest.mark.parametrize(
    ("fields", "facts", "kind"),
    [
        ({"reporter_app_version": "1.0.0"}, {"version": TAG}, "public_release"),
        ({"reporter_git_sha": SHA}, {"sha": sha(tags=("v1.0.0",))}, "public_release"),
        ({"reporter_git_sha": SHA}, {"sha": sha()}, "local_commit"),
        ({"reporter_git_sha": SHA}, {"sha": sha(on_default=False)}, "local_commit"),
        ({"reporter_git_sha": SHA}, {"sha": sha(on_default=False, branches=("feature/x",))}, "local_branch"),
        ({"reporter_git_sha": SHA, "reporter_git_ref": "feature/x"}, {"sha": sha(), "ref": BRANCH}, "local_branch"),
        ({"reporter_git_sha": SHA, "reporter_git_ref": "main"}, {"sha": sha(), "ref": MAIN}, "local_commit"),
        ({"reporter_git_ref": "feature/x"}, {"ref": BRANCH}, "local_branch"),
        ({"reporter_git_ref": "v1.0.0"}, {"ref": RefFact(known=True, kind="tag", sha=SHA)}, "public_release"),
        ({"reporter_git_ref": "main"}, {"ref": MAIN}, "unknown"),
        ({"reporter_git_sha": SHA}, {"sha": ShaFact(known=False)}, "unknown"),
        ({"reporter_app_version": "9.9.9"}, {"version": VersionFact(known=False)}, "unknown"),
        ({"reporter_app_version": "nightly"}, {"refused": ("reporter_app_version",)}, "unknown"),
        ({"reporter_git_sha": "-h"}, {"refused": ("reporter_git_sha",)}, "unknown"),
        ({}, {}, "unknown"),
        ({"reporter_app_version": "1.0.0"}, {"available": False}, "public_release"),
        ({"reporter_git_sha": SHA}, {"available": False}, "unknown"),
    ],
)
def test_the_kind_follows_fields_and_facts(fields: dict[str, str], facts: dict[str, Any], kind: str) -> None:
    found = finding(fields, **facts)
    assert found.kind == kind
    assert found.evidence


def test_a_valid_build_has_no_conflict_and_names_what_it_is() -> None:
    found = finding({"reporter_git_sha": SHA, "reporter_app_version": "1.0.0"}, sha=sha(tags=("v1.0.0",)), version=TAG)
    assert found.conflicts == ()
    assert (found.sha, found.version, found.branch) == (SHA, "v1.0.0", None)


def test_a_build_after_a_release_may_carry_its_version() -> None:
    fields = {"reporter_git_sha": SHA, "reporter_app_version": "1.0.0"}
    assert finding(fields, sha=sha(built_on=("v1.0.0",)), version=TAG).conflicts == ()


@pytest.mark.parametrize(
    ("facts", "field"),
    [
        ({"sha": sha(tags=("v0.9.0", "v1.0.0")), "version": TAG}, "reporter_app_version"),
        ({"sha": sha(), "version": TAG}, "reporter_app_version"),
        ({"sha": sha(on_default=False), "ref": MAIN}, "reporter_git_ref"),
        ({"sha": sha(), "ref": RefFact(known=True, name="y", kind="branch", sha=OTHER)}, "reporter_git_ref"),
        ({"sha": ShaFact(known=False)}, "reporter_git_sha"),
        ({"ref": RefFact(known=False)}, "reporter_git_ref"),
        ({"refused": ("reporter_git_ref",)}, "reporter_git_ref"),
    ],
)
def test_contradictions_are_named(facts: dict[str, Any], field: str) -> None:
    fields = {"reporter_git_sha": SHA, "reporter_git_ref": "x", "reporter_app_version": "1.0.0"}
    (conflict,) = finding(fields, **facts).conflicts
    assert conflict.startswith(field)


def test_an_unknown_environment_names_no_commit() -> None:
    assert finding({"reporter_git_sha": OTHER}, sha=ShaFact(known=False), version=TAG).sha is None


def test_facts_survive_json() -> None:
    facts = RepositoryFacts(available=True, sha=sha(tags=("v1",)), ref=BRANCH, version=TAG, refused=("x",))
    assert RepositoryFacts.model_validate_json(facts.model_dump_json()) == facts
