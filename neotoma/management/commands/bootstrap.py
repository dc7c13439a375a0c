"""`manage.py bootstrap`: the first identities, for instances whose services somebody else starts."""

from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand

from neotoma.supervisor import identities


class Command(BaseCommand):
    """Make the admin and the first tokens where they are missing; running it again changes nothing."""

    help = "Make the admin and the first tokens, and write them to instance.json in the data folder."

    def handle(self, *args: Any, **options: Any) -> None:
        """Write the file and say where it is; the secrets themselves stay out of the log."""
        path = settings.NEOTOMA_DATA / "instance.json"
        identities.prepare(path, settings.NEOTOMA_BASE_URL)
        self.stdout.write(f"identities are in {path}")
