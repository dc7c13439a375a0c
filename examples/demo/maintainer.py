"""The maintainer's side: over REST with the operator's token, and by webhook."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from examples.demo.screen import Screen, expect
from examples.instance import Instance, wait_for
from examples.webhook_inbox import Inbox
from neotoma.operations.client import Client

DAEMON = "formica"
SECONDS = 120.0  # workers need a second or two; a busy machine is slow and not broken


class Desk:
    """Calls operations by name and keeps every answer, as text."""

    def __init__(self, instance: Instance) -> None:
        self._client = Client(instance.base_url, instance.operator_token)
        self.answers: list[str] = []

    def call(self, name: str, /, **arguments: Any) -> dict[str, Any]:
        answer = self._client.call(name, **arguments)
        self.answers.append(json.dumps(answer))
        return answer


def configure(screen: Screen, desk: Desk, repository: Path) -> None:
    """Tell Formica which checkout to look at."""
    screen.sent(f"configure_daemon(daemon={DAEMON!r}, fields={{repo: {repository.name!r}}})")
    config = desk.call("configure_daemon", daemon=DAEMON, fields={"repo": str(repository)})["daemon_config"]
    expect(config["dry_run"] and config["reporting_mode"] == "consent", "Formica starts careful")
    screen.got(f"dry_run {config['dry_run']}, reporting_mode {config['reporting_mode']}, auto_fix {config['auto_fix']}")


def subscribe(screen: Screen, desk: Desk, inbox: Inbox) -> None:
    """Be told of new issues, and of plans as they change."""
    screen.sent(f"subscribe(entity_types=[issue, plan], webhook_url={inbox.url!r})")
    answer = desk.call(
        "subscribe",
        entity_types=["issue", "plan"],
        event_types=["entity.created", "entity.updated"],
        delivery_method="webhook",
        webhook_url=inbox.url,
    )
    inbox.secret = answer["webhook_secret"]
    screen.got(f"subscription {answer['subscription_id']}, a secret that is shown once")


def hear(screen: Screen, inbox: Inbox, entity_type: str, event_type: str) -> dict[str, Any]:
    """The webhook of this event, and those of what happened on the way, such as the issue's status."""
    while True:
        event = inbox.next_event(SECONDS)
        screen.got(f"webhook, signature verified: {event['event_type']} {event['entity_type']} {event['entity_id']}")
        screen.note(f"event {event['seq']} by {event['actor']['kind']} {event['actor'].get('name', '')}".rstrip())
        if "status" in event["fields_changed"]:
            screen.note(f"status: {event['fields_changed']['status']['new']}")
        expect(inbox.refused == 0, "every signature holds")
        if (event["entity_type"], event["event_type"]) == (entity_type, event_type):
            return event


def await_preview(screen: Screen, desk: Desk, issue_id: str) -> dict[str, Any]:
    """What Formica would do, once it has looked; nothing else may have been written."""
    screen.sent(f"daemon_status(daemon={DAEMON!r}), until a preview is there")
    found: list[dict[str, Any]] = []

    def shown() -> bool:
        found[:] = desk.call("daemon_status", daemon=DAEMON)["previews"]
        return bool(found)

    wait_for(shown, SECONDS, lambda: "no preview")
    [case] = found
    expect(case["issue_id"] == issue_id, "the preview is about the issue")
    preview = case["preview"]
    screen.got(f"preview of case {case['case_id']}: a {case['classification']}")
    _show_plan(screen, preview["would_plan"])
    screen.note(f"branch {preview['would_branch']}; ask: {preview['would_ask'] or 'nothing'}")
    expect(desk.call("retrieve_entities", entity_type="plan")["total"] == 0, "a preview stores no plan")
    screen.note("and nothing else was written")
    return case


def release(screen: Screen, desk: Desk, case: dict[str, Any]) -> None:
    """Make this kind of issue live."""
    screen.sent(f"release_preview(case_id={case['case_id']})")
    released = desk.call("release_preview", case_id=case["case_id"])["case"]
    screen.got(f"{released['classification']}s are live now")


def read_plan(screen: Screen, desk: Desk, plan_id: str, issue_id: str) -> dict[str, Any]:
    """The stored plan."""
    plan: dict[str, Any] = desk.call("retrieve_entity_snapshot", entity_id=plan_id)["snapshot"]
    expect(plan["issue_id"] == issue_id, "the plan is about the issue")
    expect((plan["status"], plan["classification"]) == ("proposed", "bug"), "a proposed plan for a bug")
    screen.got(f"plan {plan_id}, revision {plan['revision']}: {plan['status']}")
    _show_plan(screen, plan)
    return plan


def approve(screen: Screen, desk: Desk, plan_id: str, revision: int) -> None:
    """What the button in the admin does."""
    screen.sent(f"approve_plan(plan_id={plan_id!r}, revision={revision})")
    answer = desk.call("approve_plan", plan_id=plan_id, revision=revision)
    expect(answer["status"] == "approved", "the plan is approved")
    screen.got(f"{answer['status']}, revision {answer['revision']}")


def await_worktree(screen: Screen, desk: Desk, plan_id: str) -> None:
    """The run that the approval started lays out the work at the plan's commit; no agent is configured."""
    found: list[dict[str, Any]] = []

    def handed_over() -> bool:
        found[:] = [one for one in desk.call("daemon_status", daemon=DAEMON)["handed_off"] if one["plan_id"] == plan_id]
        return bool(found)

    wait_for(handed_over, SECONDS, lambda: "the run did not start")
    place = Path(found[0]["worktree"] or "")
    expect((place / ".git").is_file(), "there is a worktree")
    screen.got(f"the run made a worktree, {place.name}; {found[0]['reason']}")


def _show_plan(screen: Screen, plan: dict[str, Any]) -> None:
    environment, verdict = plan["environment"], plan["verdict"]
    screen.note(f"{plan['kind']}: {plan['title']}")
    screen.note(f"environment {environment['kind']}, verdict {verdict['kind']}, risk {plan['risk']}")
    screen.note(f"files {', '.join(plan['files_suspected'])}")
    for gate in plan["gates"]:
        screen.note(f"gate {gate['name']}: {gate['decision']}")
