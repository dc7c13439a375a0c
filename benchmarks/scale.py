"""`make bench-scale`: what reads cost at a million entities, three million facts and two million edges, on PostgreSQL.

Loads databases of its own by COPY, the small one for comparison, measures each read in the process, prints a table and
writes `benchmarks/scale.json`. Exits 1 when a p95 at the large size is more than twice that at the small one.
BENCH_DATABASE_URL names the server; its user must be a superuser there. Needs 8 GB of disk for a million.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from benchmarks.measure import verdict
from tests.instance import own_database

RESULTS = Path(__file__).with_name("scale.json")
SERVER = os.environ.get("BENCH_DATABASE_URL", "postgresql://postgres@127.0.0.1:5432/postgres")
MARKED = ("snapshot", "list of 20", "filtered list", "neighbourhood", "full text")
FACTOR = 2.0
FLOOR_MS = 1.0
"""Below this a p95 says more of the machine than of the read."""


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--size", type=int, default=1_000_000, help="entities of the large database")
    parser.add_argument("--baseline", type=int, default=10_000, help="entities of the small one")
    parser.add_argument("--calls", type=int, default=200, help="calls of each read in each of three rounds")
    parser.add_argument("--inside", type=int, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.inside:
        print(json.dumps(inside(options.inside, options.calls)))
        return 0
    found = {size: outside(size, options.calls) for size in (options.baseline, options.size)}
    met = report(found[options.baseline], found[options.size], options.baseline, options.size)
    RESULTS.write_text(json.dumps({str(size): figures for size, figures in found.items()}, indent=1) + "\n")
    return 0 if met else 1


def outside(size: int, calls: int) -> dict[str, Any]:
    """Load and measure in a process of its own, against a database of its own."""
    command = [sys.executable, "-m", "benchmarks.scale", "--inside", str(size), "--calls", str(calls)]
    with own_database(SERVER) as url:
        environment = {**os.environ, "DATABASE_URL": url}
        done = subprocess.run(command, env=environment, stdout=subprocess.PIPE, text=True, check=True)
    figures: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return figures


def inside(size: int, calls: int) -> dict[str, Any]:
    """On the database of DATABASE_URL: migrate, load, measure."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "neotoma.settings")
    import django

    django.setup()
    from django.core.management import call_command
    from django.db import connection

    from benchmarks import scale_load, scale_reads

    call_command("migrate", verbosity=0)
    started = time.monotonic()
    scale_load.load_at_once(
        size,
        processes=os.cpu_count() or 1,
        progress=lambda done: print(f"\r{done:>9} of {size} loaded", end="", file=sys.stderr),
    )
    took = time.monotonic() - started
    print(f"\r{size:>9} loaded in {took:.0f} s", file=sys.stderr)
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_database_size(current_database())")
        (held,) = cursor.fetchone()
    reads = {name: {"p50": t.p50, "p95": t.p95} for name, t in scale_reads.measured(size, calls).items()}
    return {"load_seconds": round(took), "megabytes": held // 1_000_000, "reads": reads}


def report(small: dict[str, Any], large: dict[str, Any], baseline: int, size: int) -> bool:
    """Print both side by side; whether every mark is met."""
    print(f"\n{'read':<16}{baseline:>10} p50{'p95':>8}{size:>12} p50{'p95':>8}{'factor':>8}  mark")
    met = True
    for name, at_large in large["reads"].items():
        at_small = small["reads"][name]
        factor = at_large["p95"] / max(at_small["p95"], FLOOR_MS)
        line = (
            f"{name:<16}{at_small['p50']:>14.2f}{at_small['p95']:>8.2f}{at_large['p50']:>16.2f}{at_large['p95']:>8.2f}"
        )
        mark = verdict(factor <= FACTOR, f"{FACTOR:g}x") if name in MARKED else ""
        met = met and (name not in MARKED or factor <= FACTOR)
        print(f"{line}{factor:>8.2f}  {mark}")
    print(f"{size} entities: {large['megabytes']} MB, loaded in {large['load_seconds']} s")
    return met


if __name__ == "__main__":
    sys.exit(main())
