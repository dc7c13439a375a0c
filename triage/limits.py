"""Bounds of the loop (pure): counts come in, a permission with its reason goes out."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from triage.schemas import AuthorKind, DaemonConfig, Word

MAX_AGENT_TURNS = 6
MAX_FRUITLESS_RUNS = 3


class RunCounts(Word):
    """Counted in the database at this moment; cost in US dollars. Fruitless: without a change of state since."""

    running: int = 0
    runs_today: int = 0
    cost_today: float = 0.0
    agent_turns: int = 0
    fruitless_runs: int = 0


class Allowance(Word):
    """`hand_off` asks for a person; without it a refusal only means later."""

    allowed: bool
    reason: str = ""
    hand_off: bool = False


_YES = Allowance(allowed=True)


def may_start_run(counts: RunCounts, config: DaemonConfig) -> Allowance:
    """Whether one more agent run may start."""
    if counts.agent_turns >= MAX_AGENT_TURNS:
        return _hand_off(f"{counts.agent_turns} agent turns without a human message")
    if counts.fruitless_runs >= MAX_FRUITLESS_RUNS:
        return _hand_off(f"{counts.fruitless_runs} runs without a change of state")
    if counts.runs_today >= config.max_runs_per_day:
        return _later(f"{counts.runs_today} runs today; the budget is {config.max_runs_per_day}")
    if counts.cost_today >= config.max_cost_per_day:
        return _later(f"{counts.cost_today:.2f} dollars today; the budget is {config.max_cost_per_day:.2f}")
    if counts.running >= config.concurrency:
        return _later(f"{counts.running} runs at once; the limit is {config.concurrency}")
    return _YES


def may_publish(prs_last_hour: int, prs_today: int, config: DaemonConfig) -> Allowance:
    """Whether one more pull request may leave; the hour is rolling."""
    if prs_last_hour >= config.max_prs_per_hour:
        return _later(f"{prs_last_hour} pull requests in an hour; the limit is {config.max_prs_per_hour}")
    if prs_today >= config.max_prs_per_day:
        return _later(f"{prs_today} pull requests today; the budget is {config.max_prs_per_day}")
    return _YES


def agent_turns(authors: Sequence[AuthorKind]) -> int:
    """Turns by machines since a person last wrote, newest last. Notices and echoes are nobody's turn.

    A reporter counts as the person: whoever reports may be an agent, but only an answer from outside is progress.
    """
    turns = 0
    for author in reversed(authors):
        if author in ("reporter", "maintainer"):
            break
        turns += author in ("agent", "daemon")
    return turns


def wakes(actor: str, own_actors: Collection[str], mirror_echo: bool, closed: bool, by_system: bool) -> bool:
    """Whether an event may start anything.

    `own_actors` are the daemon's identities: its own and those of its runs' tokens. `mirror_echo`: the event is our
    own writing come back. On a closed issue only somebody else's words count, never a system notice.
    """
    if actor in own_actors or mirror_echo:
        return False
    return not (closed and by_system)


def _hand_off(reason: str) -> Allowance:
    return Allowance(allowed=False, reason=reason, hand_off=True)


def _later(reason: str) -> Allowance:
    return Allowance(allowed=False, reason=reason)
