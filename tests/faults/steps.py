"""Steps of the product in processes of their own: a submission, and a worker that catches up."""

from __future__ import annotations

import time

from neotoma.consumers import drain
from tests.faults.clientlog import Attempt
from tests.faults.forked import Killed, fork
from tests.faults.load import title_of
from tests.support import callers
from triage.consumers import intake
from triage.tasks import make_default
from webhooks.consumers import fan_out


def submitted(key: str, *sabotages: str) -> Attempt:
    """A submission as its client sees it: without an answer when the process was killed."""
    started = time.monotonic()
    try:
        number, entity_id = fork(lambda: _submit(key), *sabotages).answer()
    except Killed:
        return Attempt(key, 0, time.monotonic() - started)
    return Attempt(key, 201, time.monotonic() - started, number, entity_id)


def _submit(key: str) -> tuple[int, str]:
    answer = callers.filed(callers.reporter(), title=title_of(key), idempotency_key=key)
    return answer["issue_number"], answer["entity_id"]


def drained(*sabotages: str) -> None:
    """Every consumer catches up in a worker that starts for it."""
    fork(_drain, *sabotages).answer()


def _drain() -> None:
    drain(fan_out.name)
    drain(intake.name)
    make_default()  # the first issue of an installation has it made, and that brings the issue a case
    drain(intake.name)
