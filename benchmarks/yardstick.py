"""How fast this machine is: the time of one small thing that Django does for every call.

The marks were set beside the reference system, on a machine where looking up a row by its key took 255 us of CPU
(`Model.objects.filter(pk=...).first()`, SQLite in memory). A machine that is slower at this moment gets as much more
time for a call; a faster one gets no less. Machines of one kind differ fourfold by the hour.
"""

from __future__ import annotations

import subprocess
import sys
from time import process_time

import django
from django.conf import settings
from django.core.management import call_command

MARKED_US = 255.0
ROUNDS, CALLS = 12, 500


def slowness() -> float:
    """How many times longer than on the machine of the marks anything takes at this moment, at least 1."""
    # A process of its own: Django can be set up only once in one.
    done = subprocess.run([sys.executable, "-m", "benchmarks.yardstick"], capture_output=True, text=True, check=True)
    return max(1.0, float(done.stdout) / MARKED_US)


def lookup_us() -> float:
    """CPU time of a look-up in microseconds, the best of some rounds; for a process without settings."""
    settings.configure(
        DATABASES={"default": {"ENGINE": "django.db.backends.sqlite3", "NAME": ":memory:"}},
        INSTALLED_APPS=["django.contrib.contenttypes"],
    )
    django.setup()
    from django.contrib.contenttypes.models import ContentType

    call_command("migrate", verbosity=0)  # which makes a row of the table's own
    key = ContentType.objects.values_list("pk", flat=True)[0]

    def once() -> float:
        started = process_time()
        for _ in range(CALLS):
            ContentType.objects.filter(pk=key).first()
        return (process_time() - started) / CALLS * 1e6

    return min(once() for _ in range(ROUNDS))


if __name__ == "__main__":
    print(lookup_us())
