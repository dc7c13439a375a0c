"""`make prove`: the long proofs, one after the other, with progress; results in `benchmarks/prove.json`.

Faults at full length on both databases, redaction's worst inputs, property tests and generated inputs at full counts,
reads at full scale, and the bench. Exits 1 when any of them fails. Give names to run only these:
`python -m benchmarks.prove faults bench`.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Iterable, Iterator
from pathlib import Path

RESULTS = Path(__file__).with_name("prove.json")
PYTEST = [sys.executable, "-m", "pytest", "-q", "-n", "2", "--dist", "loadfile"]
PROPERTIES = ["tests/substrate", "tests/issues", "tests/submissions", "tests/redaction", "tests/test_markdown.py"]
STEPS: dict[str, tuple[list[str], dict[str, str]]] = {
    "faults": ([sys.executable, "-m", "benchmarks.faults"], {}),
    "redaction": ([sys.executable, "-m", "benchmarks.redaction"], {}),
    "properties": ([*PYTEST, *PROPERTIES], {"NEOTOMA_HYPOTHESIS": "prove"}),
    "fuzz": ([*PYTEST, "tests/contracts/test_fuzz.py"], {"NEOTOMA_FUZZ_INPUTS": "200"}),
    "scale": ([sys.executable, "-m", "benchmarks.scale"], {}),
    "bench": ([sys.executable, "-m", "benchmarks.run"], {}),
}


def main(names: list[str]) -> int:
    unknown = [name for name in names if name not in STEPS]
    if unknown:
        print(f"unknown: {', '.join(unknown)}; there are {', '.join(STEPS)}")
        return 2
    held = json.loads(RESULTS.read_text()) if RESULTS.exists() else {}
    results = {}
    for name in names or STEPS:
        results[name] = prove(name)
        RESULTS.write_text(json.dumps({**held, **results}, indent=1) + "\n")  # each at once: all of them take long
    failed = [name for name, result in results.items() if not result["passed"]]
    print(f"Failed: {', '.join(failed)}" if failed else "All proven.")
    return 1 if failed else 0


def prove(name: str) -> dict[str, object]:
    """Run one step, its output passed on; what took how long, how it ended, and what it counted."""
    command, env = STEPS[name]
    print(f"\n== {name}", flush=True)
    started = time.monotonic()
    with subprocess.Popen(command, env={**os.environ, **env}, stdout=subprocess.PIPE, text=True) as step:
        assert step.stdout is not None  # a pipe was asked for
        figures = list(_figures(step.stdout))
    took = round(time.monotonic() - started)
    print(f"== {name}: {'passed' if step.returncode == 0 else 'FAILED'} after {took} s", flush=True)
    return {"passed": step.returncode == 0, "seconds": took, "on": time.strftime("%Y-%m-%d"), "figures": figures}


def _figures(output: Iterable[str]) -> Iterator[object]:
    """Pass on each line; the lines that are JSON, and the last one, which sums up."""
    line = ""
    for line in output:
        print(line, end="", flush=True)
        if line.startswith("{"):
            yield json.loads(line)
    if not line.startswith("{"):
        yield line.strip()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
