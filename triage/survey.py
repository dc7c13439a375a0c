"""What the daemon's checkout says about one report."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from django.conf import settings

from triage.facts import RepositoryFacts, SearchFacts
from triage.repository import collect_facts
from triage.repository_search import search
from triage.schemas import PlanDraft, Report
from triage.terms import search_terms


@dataclass(frozen=True)
class Survey:
    """Facts about the reporter's build, and where the report's terms occur."""

    facts: RepositoryFacts
    found: SearchFacts

    @property
    def build(self) -> dict[str, str]:
        """The build that this daemon looked at, in the words of a message: its checkout's newest, else our own."""
        if self.facts.default_sha:
            return {"reporter_git_sha": self.facts.default_sha}
        return {"reporter_app_version": settings.VERSION}

    def base_sha(self, plan: PlanDraft) -> str | None:
        """The commit on which a plan builds."""
        return self.facts.default_sha if plan.base == self.facts.default_branch else plan.base


def look_around(repo: str | None, report: Report) -> Survey:
    """Without a repository only the form of the reporter's fields is judged. Raises GitFailed, RepositoryUnsafe."""
    path = Path(repo) if repo else None
    facts = collect_facts(path, report)
    found = search(path, search_terms(report), facts) if path is not None and facts.available else SearchFacts()
    return Survey(facts, found)
