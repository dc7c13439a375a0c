from __future__ import annotations

import fcntl
import sys
from pathlib import Path

import pytest

from triage.bounded import MAX_STDERR, Output, run_bounded


def run(code: str, timeout_s: float = 20, limit_bytes: int = 10_000) -> Output:
    argv = [sys.executable, "-c", code]
    return run_bounded(argv, cwd=Path("/"), env={"GIVEN": "1"}, timeout_s=timeout_s, limit_bytes=limit_bytes)


def test_output_and_code_come_back() -> None:
    output = run("import sys; print('out'); print('err', file=sys.stderr); sys.exit(3)")
    assert output == Output(3, b"out\n", b"err\n", "itself")


def test_the_environment_is_only_what_was_given(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CANARY", "canary-value")
    assert b"canary-value" not in run("import os; print(dict(os.environ))").stdout


def test_there_is_no_input() -> None:
    assert run("import sys; print(repr(sys.stdin.read()))").stdout == b"''\n"


def test_too_much_output_ends_it() -> None:
    output = run("import sys\nwhile True: sys.stdout.write('x' * 1000)", limit_bytes=5_000)
    assert (output.ended, len(output.stdout), output.code) == ("size", 5_000, -9)


def test_errors_are_cut_and_do_not_block() -> None:
    output = run("import sys; sys.stderr.write('e' * 300_000); print('done')")
    assert (output.stdout, len(output.stderr), output.ended) == (b"done\n", MAX_STDERR, "itself")


def test_time_ends_it() -> None:
    output = run("import time; time.sleep(600)", timeout_s=0.1)
    assert (output.ended, output.code) == ("time", -9)


def test_its_children_end_with_it(tmp_path: Path) -> None:
    lock = tmp_path / "lock"
    child = (
        f"import fcntl, sys\nheld = open({str(lock)!r}, 'w')\nfcntl.flock(held, 2)\nwhile True: sys.stdout.write('x')"
    )
    parent = f"import subprocess, sys; subprocess.run([sys.executable, '-c', {child!r}])"
    assert run(parent, timeout_s=60).ended == "size"
    with lock.open("w") as free:
        fcntl.flock(free, fcntl.LOCK_EX)  # waits for as long as the child lives
        assert not free.closed


def test_a_program_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(OSError, match="nowhere"):
        run_bounded([str(tmp_path / "nowhere")], cwd=tmp_path, env={}, timeout_s=1, limit_bytes=1)
