"""Facts and events are never changed; only retention deletes events."""

from django.db import migrations

from neotoma.substrate.triggers import append_only


class Migration(migrations.Migration):
    dependencies = [("substrate", "0001_initial")]
    operations = [
        append_only("substrate_observation"),
        append_only("substrate_relationshipobservation"),
        append_only("substrate_source"),
        append_only("substrate_event", retention=True),
    ]
