"""Recreate every projection and index from observations."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from neotoma.substrate.rebuild import rebuild


class Command(BaseCommand):
    help = "Recreate snapshots, projections and indexes from observations. Safe to run twice and while serving."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("entity_types", nargs="*", help="Only these types; all by default.")

    def handle(self, *args: Any, **options: Any) -> None:
        done = 0
        for done in rebuild(options["entity_types"]):
            self.stderr.write(f"{done} entities\r", ending="")
        self.stdout.write(f"Rebuilt {done} entities.")
