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
    results = {name: prove(name) for name in names or STEPS}
    RESULTS.write_text(json.dumps({**held, **results}, indent=1) + "\n")
    failed = [name for name, result in results.items() if not result["passed"]]
    print(f"Failed: {', '.join(failed)}" if failed else "All proven.")
    return 1 if failed else 0


def prove(name: str) -> dict[str, object]:
    """Run one step, its output passed on; what took how long and how it ended."""
    command, env = STEPS[name]
    print(f"\n== {name}", flush=True)
    started = time.monotonic()
    code = subprocess.run(command, env={**os.environ, **env}, check=False).returncode
    took = round(time.monotonic() - started)
    print(f"== {name}: {'passed' if code == 0 else 'FAILED'} after {took} s", flush=True)
    return {"passed": code == 0, "seconds": took, "on": time.strftime("%Y-%m-%d")}


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
