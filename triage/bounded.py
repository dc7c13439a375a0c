"""Run one program with bounds on time and output, in a process group of its own."""

from __future__ import annotations

import os
import selectors
import signal
import subprocess
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Literal

CHUNK = 64 * 1024
MAX_STDERR = 16 * 1024


@dataclass(frozen=True)
class Output:
    """`ended` says why: by itself, over its time, or over its output. `code` is negative after a signal."""

    code: int
    stdout: bytes
    stderr: bytes
    ended: Literal["itself", "time", "size"]


def run_bounded(
    argv: Sequence[str], *, cwd: Path, env: Mapping[str, str], timeout_s: float, limit_bytes: int
) -> Output:
    """Run `argv` without a shell and without input. Raises OSError when it cannot start."""
    with subprocess.Popen(
        argv,
        cwd=cwd,
        env=dict(env),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
    ) as process:
        try:
            stdout, stderr, ended = _collect(process, time.monotonic() + timeout_s, limit_bytes)
            code = _finish(process, ended)
        except BaseException:
            _kill(process)
            raise
    return Output(code, stdout, stderr, ended)


def _collect(
    process: subprocess.Popen[bytes], deadline: float, limit: int
) -> tuple[bytes, bytes, Literal["itself", "time", "size"]]:
    """Read both pipes until they close, time is up or stdout is over its limit; stderr keeps its beginning."""
    if process.stdout is None or process.stderr is None:
        raise ValueError("both pipes are needed")
    kept: dict[IO[bytes], bytearray] = {process.stdout: bytearray(), process.stderr: bytearray()}
    with selectors.DefaultSelector() as selector:
        for pipe in kept:
            selector.register(pipe, selectors.EVENT_READ, pipe)
        while selector.get_map():
            ready = selector.select(max(0.0, deadline - time.monotonic()))
            if not ready:
                return bytes(kept[process.stdout]), bytes(kept[process.stderr]), "time"
            for key, _ in ready:
                chunk = os.read(key.fd, CHUNK)
                if not chunk:
                    selector.unregister(key.fileobj)
                kept[key.data] += chunk
            del kept[process.stderr][MAX_STDERR:]
            if len(kept[process.stdout]) > limit:
                return bytes(kept[process.stdout][:limit]), bytes(kept[process.stderr]), "size"
    return bytes(kept[process.stdout]), bytes(kept[process.stderr]), "itself"


def _finish(process: subprocess.Popen[bytes], ended: str) -> int:
    if ended != "itself":
        _kill(process)
    return process.wait()


def _kill(process: subprocess.Popen[bytes]) -> None:
    """The whole group: git starts helpers of its own."""
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
