"""The command line `neotoma`: a verb for each operation, here or on another instance."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence

import django


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command; answers the exit code: 0 done, 1 refused, 2 misused."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "neotoma.settings")
    django.setup()
    from neotoma.operations.cli.commands import run  # needs the apps

    return run(sys.argv[1:] if argv is None else argv)
