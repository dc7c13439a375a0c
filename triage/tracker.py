"""How a daemon of this installation reads and writes facts: public operations, called by name, under its own name."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from neotoma.access.principals import daemon
from neotoma.operations.invoke import Caller, call
from neotoma.submissions.provenance import FIELDS
from neotoma.substrate.canonical import digest
from neotoma.substrate.errors import NotFound
from triage.clusters import MAX_CANDIDATES
from triage.progress import Progress
from triage.schemas import AuthorKind, LinkedEntity, MissingDetail, Report, ThreadMessage
from triage.text import tokens

MAX_PAGES = 20
"""Pages of one thread that are read."""
MAX_LINKED = 20
"""Linked entities that are read, and newest other issues whose links are compared."""
MAX_BODIES = 100
"""Other issues whose bodies are read; the rest is compared by title."""


@dataclass(frozen=True)
class Thread:
    """One issue with its thread. `status`: as it is shown, so in_progress:blocked for blocked work.

    `asked`: details that this daemon asked for; `answered`: the reporter wrote since.
    """

    report: Report
    open: bool
    status: str
    asked: frozenset[str]
    answered: bool
    authors: tuple[AuthorKind, ...]


class Tracker:
    """The issue tracker, as a daemon sees it."""

    def __init__(self, name: str) -> None:
        self.name = name
        self._caller = Caller(daemon(name), "process")

    def read(self, issue_id: str) -> Thread:
        """The issue and everything said on it; refuses one that was withdrawn as not found."""
        head, messages = self._thread(issue_id)
        report = Report(
            title=head["title"],
            body=messages[0]["body"],
            entity_id=issue_id,
            issue_number=head["issue_number"],
            kind=head["kind"],
            labels=tuple(head["labels"]),
            visibility="public" if head["visibility"] == "public" else "private",
            messages=tuple(ThreadMessage(author_kind=_kind(m), body=m["body"]) for m in messages[1:]),
            linked_entities=tuple(self._linked(head["linked_entity_ids"])),
            **_build(messages),
        )
        asked, answered = _asked(messages, self.name)
        return Thread(
            report, head["state"] == "open", head["status"], asked, answered, tuple(_kind(m) for m in messages)
        )

    def open_reports(self, report: Report) -> list[Report]:
        """The other open issues, last changed first, without their threads.

        Bodies come with the `MAX_BODIES` nearest by title, links only when this report has some too.
        """
        rows = [row for row in self._open_issues() if row["entity_id"] != report.entity_id]
        read = _nearest(report, rows)
        compared = {row["entity_id"] for row in rows[:MAX_LINKED]} if report.linked_entities else set()
        found = []
        for row in rows:
            pk = row["entity_id"]
            body = self._body(pk) if pk in read else ""
            found.append(_candidate(row, body, self._links(pk) if pk in compared else ()))
        return found

    def ask(self, report: Report, text: str, missing: Sequence[MissingDetail], build: Mapping[str, str]) -> None:
        """Ask the reporter for all details in one message; the same question is never put twice."""
        wanted = [{"field": item.field, "why": f"{item.question} ({item.reason})"[:500]} for item in missing]
        self._call(
            "add_issue_message",
            entity_id=report.entity_id,
            body=text,
            asks=True,
            missing=wanted,
            idempotency_key=f"ask:{digest([report.entity_id, len(report.messages), wanted])}",
            **build,
        )

    def propose(self, **arguments: Any) -> dict[str, Any]:
        """Store a plan or its next revision; answers plan_id, status and revision."""
        return self._call("propose_plan", daemon=self.name, **arguments)

    def abandon(self, plan_id: str, reason: str) -> None:
        """Give up a plan that nobody has begun."""
        self._call("reject_plan", plan_id=plan_id, reason=reason)

    def show(self, issue_id: str, progress: Progress) -> None:
        """Say how far the work on the issue is; one that is closed, withdrawn or further already is left alone."""
        with suppress(NotFound):
            self._call("set_issue_status", entity_id=issue_id, **progress.arguments)

    def _thread(self, issue_id: str) -> tuple[dict[str, Any], list[dict[str, Any]]]:
        head = page = self._call("get_issue_status", entity_id=issue_id)
        messages = list(head["messages"])
        for _ in range(MAX_PAGES):
            if not page["more"]:
                break
            page = self._call("get_issue_status", entity_id=issue_id, after=page["cursor"])
            messages += page["messages"]
        return head, _whole(messages)

    def _linked(self, ids: Sequence[str]) -> Iterator[LinkedEntity]:
        for position, entity_id in enumerate(ids):
            found = self._summary(entity_id) if position < MAX_LINKED else {}
            yield LinkedEntity(entity_id=entity_id, **found)

    def _summary(self, entity_id: str) -> dict[str, str]:
        try:
            found = self._call("retrieve_entity_snapshot", entity_id=entity_id)
        except NotFound:
            return {}
        names = (found["snapshot"].get(name) for name in ("title", "name", "canonical_name"))
        summary = next((name for name in names if isinstance(name, str)), "")
        return {"entity_type": found["entity_type"], "summary": " ".join(summary.split())[:200]}

    def _open_issues(self) -> list[dict[str, Any]]:
        """Rows of open issues, last changed first, without their bodies."""
        found: list[dict[str, Any]] = []
        cursor = None
        while len(found) < MAX_CANDIDATES:
            page = self._call("list_issues", state="open", limit=100, cursor=cursor)
            found += page["issues"]
            cursor = page.get("next_cursor")
            if cursor is None:
                break
        return found

    def _body(self, issue_id: str) -> str:
        """The report's own text; empty for an issue that is gone by now."""
        try:
            return str(self._call("retrieve_entity_snapshot", entity_id=issue_id)["snapshot"]["body"])
        except NotFound:
            return ""

    def _links(self, issue_id: str) -> tuple[str, ...]:
        try:
            return tuple(self._call("get_issue_status", entity_id=issue_id)["linked_entity_ids"])
        except NotFound:
            return ()

    def _call(self, name: str, **arguments: Any) -> dict[str, Any]:
        return call(name, arguments, self._caller)


def _candidate(row: Mapping[str, Any], body: str, links: Sequence[str]) -> Report:
    return Report(
        title=row["title"],
        body=body,
        entity_id=row["entity_id"],
        issue_number=row["issue_number"],
        kind=row["kind"],
        labels=tuple(row["labels"]),
        visibility="public" if row["visibility"] == "public" else "private",
        linked_entities=tuple(LinkedEntity(entity_id=entity_id) for entity_id in links),
    )


def _nearest(report: Report, rows: Sequence[Mapping[str, Any]]) -> frozenset[str]:
    """Ids of the issues whose bodies are worth reading: most words of the title in common, then newest."""
    own = set(tokens(report.title))
    ranked = sorted(rows, key=lambda row: -len(own.intersection(tokens(row["title"]))))
    return frozenset(row["entity_id"] for row in ranked[:MAX_BODIES])


def _whole(messages: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Messages whose text came in parts on several pages, put together again."""
    found: dict[str, dict[str, Any]] = {}
    for message in messages:
        held = found.setdefault(message["message_id"], {**message, "body": ""})
        held["body"] += message["body"]
    return list(found.values())


def _kind(message: Mapping[str, Any]) -> AuthorKind:
    kind: AuthorKind = message["author"]["kind"]
    return kind


def _build(messages: Sequence[Mapping[str, Any]]) -> dict[str, str]:
    """The reporter's six fields. Whoever names another build later means that one; other fields add to it."""
    held: dict[str, str] = {}
    for message in messages:
        if _kind(message) != "reporter" and message is not messages[0]:
            continue
        said = {name: message[name] for name in FIELDS if message.get(name)}
        filled_in = message.get("reporter_app_version_source") is not None and message is not messages[0]
        if "reporter_git_sha" in said or ("reporter_app_version" in said and not filled_in):
            held = {}
        held |= {name: value for name, value in said.items() if not (filled_in and name == "reporter_app_version")}
    return held


def _asked(messages: Sequence[Mapping[str, Any]], name: str) -> tuple[frozenset[str], bool]:
    """What this daemon has asked for so far, and whether the reporter wrote after the last question."""
    asked: set[str] = set()
    answered = False
    for message in messages:
        own = message["author"] == {"kind": "daemon", "name": name}
        if own and message.get("missing"):
            asked |= {item["field"] for item in message["missing"]}
            answered = False
        elif _kind(message) == "reporter":
            answered = True
    return frozenset(asked), answered
