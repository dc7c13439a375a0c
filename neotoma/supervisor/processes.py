"""One process that is started, watched, started again and stopped together with everything it started."""

import os
import signal
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass, field

from neotoma.lifeline import tie_to_parent
from neotoma.supervisor.services import Service

STEADY_AFTER = 10.0  # seconds: who lived this long did not fail to start
LONGEST_DELAY = 30.0  # seconds


def restart_delay(failures: int) -> float:
    """Seconds to wait before a start: at once after a long life, then 0.5, 1, 2 and so on up to 30."""
    return 0.0 if failures == 0 else min(LONGEST_DELAY, 0.5 * 2 ** (failures - 1))


@dataclass(slots=True)
class Kept:
    """A service and its present process. Times are seconds of one monotonic clock, given by the caller."""

    service: Service
    process: subprocess.Popen[bytes] | None = None
    started_at: float = 0.0
    failures: int = 0
    due_at: float = field(default=0.0)

    @property
    def pid(self) -> int | None:
        """The process id, or None while it waits to be started."""
        return self.process.pid if self.process else None

    def start(self, environ: Mapping[str, str], now: float) -> None:
        """Start in a process group of its own that the kernel ends together with this process."""
        self.process = subprocess.Popen(
            self.service.command,
            env={**environ, **self.service.environ},
            stdin=subprocess.DEVNULL,
            start_new_session=True,
            preexec_fn=tie_to_parent,
        )
        self.started_at = now

    def ended(self, now: float) -> int | None:
        """Exit status when the process has just ended, else None; what is left of its group is ended too."""
        status = self.process.poll() if self.process else None
        if self.process is None or status is None:
            return None
        _signal_group(self.process.pid, signal.SIGKILL)
        self.failures = 0 if now - self.started_at >= STEADY_AFTER else self.failures + 1
        self.due_at = now + restart_delay(self.failures)
        self.process = None
        return status

    def ask_to_stop(self) -> None:
        """SIGTERM to the process itself: its own children are its own to stop."""
        if self.process and self.process.poll() is None:
            self.process.terminate()

    def is_gone(self) -> bool:
        """Whether nothing runs any more."""
        return self.process is None or self.process.poll() is not None

    def kill(self) -> None:
        """End the whole group at once."""
        if self.process:
            _signal_group(self.process.pid, signal.SIGKILL)
            self.process.wait()


def _signal_group(group: int, number: int) -> None:
    try:
        os.killpg(group, number)
    except ProcessLookupError:
        return
