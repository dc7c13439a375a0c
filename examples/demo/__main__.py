"""Tell the story; exit code 1 when a step does not happen."""

from __future__ import annotations

import sys
import tempfile
from contextlib import ExitStack
from pathlib import Path

from examples.demo import maintainer, reporter
from examples.demo.maintainer import Desk
from examples.demo.planted import Planted, files, plant
from examples.demo.screen import Screen, expect
from examples.instance import Instance, started
from examples.mcp_agent import Agent, connected
from examples.sample_repository import make_sample_repository
from examples.webhook_inbox import Inbox, listening

LEAN = {"NEOTOMA_WEB_WORKERS": "1"}  # one visitor: a second web process would only be started


def main() -> int:
    """Everything happens in a temporary folder and is gone afterwards."""
    screen = Screen(sys.stdout)
    screen.headline("Neotoma: from an agent's report to an approved plan")
    try:
        with tempfile.TemporaryDirectory(prefix="neotoma-demo-") as folder, ExitStack() as stack:
            tell(screen, Path(folder), stack)
    except AssertionError as failure:
        screen.headline(f"\nStep {screen.steps} did not happen: {failure}")
        return 1
    screen.headline(f"\nAll {screen.steps} steps happened, in {screen.seconds:.0f} s.")
    return 0


def tell(screen: Screen, folder: Path, stack: ExitStack) -> None:
    """The story, step by step; what is opened is closed by the stack."""
    planted = plant()
    with screen.step("Start an instance of its own"):
        instance = stack.enter_context(started(folder / "data", LEAN))
        screen.got(f"{', '.join(sorted(instance.pids()))} at {instance.base_url}")
    desk, inbox = Desk(instance), stack.enter_context(listening())
    with screen.step("Formica gets a small git repository to look at"):
        maintainer.configure(screen, desk, make_sample_repository(folder / "shelf"))
    with screen.step("A maintainer subscribes by webhook"):
        maintainer.subscribe(screen, desk, inbox)
    with screen.step("An agent connects with the official MCP client"):
        agent = stack.enter_context(connected(instance.mcp_url, instance.reporter_token))
        reporter.introduce(screen, agent)
    with screen.step("It stores two entities"):
        book = reporter.store(screen, agent)
    with screen.step("It meets a bug and files an issue about one of them, and is careless in the body"):
        issue = reporter.file(screen, agent, book, planted)
    _triaged(screen, desk, inbox, issue["entity_id"])
    with screen.step("The reporter reads the status with its guest token"):
        guest = stack.enter_context(connected(instance.mcp_url))
        reporter.read(screen, guest, issue)
    with screen.step("The planted token and e-mail are nowhere"):
        _searched(screen, planted, instance, [agent, guest], desk, inbox)


def _triaged(screen: Screen, desk: Desk, inbox: Inbox, issue_id: str) -> None:
    """From the webhook to the approved plan."""
    with screen.step("The webhook arrives"):
        event = maintainer.hear(screen, inbox, "issue", "entity.created")
        expect(event["entity_id"] == issue_id, "the event is about the issue")
    with screen.step("Formica shows what it would do: the first of each kind is a dry run"):
        case = maintainer.await_preview(screen, desk, issue_id)
    with screen.step("The preview is released: Formica classifies and plans"):
        maintainer.release(screen, desk, case)
        plan_id = str(maintainer.hear(screen, inbox, "plan", "entity.created")["entity_id"])
        plan = maintainer.read_plan(screen, desk, plan_id, issue_id)
    with screen.step("The plan is approved, by the operation behind the admin's button"):
        maintainer.approve(screen, desk, plan_id, plan["revision"])
        maintainer.hear(screen, inbox, "plan", "entity.updated")
        maintainer.await_worktree(screen, desk, plan_id)


def _searched(
    screen: Screen, planted: Planted, instance: Instance, agents: list[Agent], desk: Desk, inbox: Inbox
) -> None:
    """Look for them in every answer, every webhook and every file of the instance, where the report must be found."""
    answers = [text for agent in agents for text in agent.answers] + desk.answers
    kept = list(files(instance.data))
    places = [("an answer", text.encode()) for text in answers]
    places += [("a webhook", body) for body in inbox.bodies] + kept
    expect(any(reporter.TITLE.encode() in content for _, content in kept), "the search sees what is stored")
    leaks = planted.leaks(places)
    expect(not leaks, f"found in {', '.join(leaks)}")
    screen.got(f"not in {len(answers)} answers, {len(inbox.bodies)} webhooks and {len(kept)} files of the instance")


if __name__ == "__main__":
    sys.exit(main())
