"""The history of an entity's edges is read in order, from an index."""

from typing import Any

from django.db import migrations, models

from neotoma.substrate.triggers import append_only

TABLE = "substrate_relationshipobservation"
FILL = """
UPDATE substrate_relationshipobservation SET
    stated_source = (SELECT CASE WHEN edge.stated_source = '' THEN edge.source_id ELSE edge.stated_source END
                     FROM substrate_relationship edge WHERE edge.id = relationship_id),
    stated_target = (SELECT CASE WHEN edge.stated_target = '' THEN edge.target_id ELSE edge.stated_target END
                     FROM substrate_relationship edge WHERE edge.id = relationship_id)
"""


GUARD = append_only(TABLE)
"""Changing a table makes it anew on SQLite, without its triggers: they go before, and come back at the end."""
GUARD_OFF = migrations.RunPython(GUARD.reverse_code or migrations.RunPython.noop, GUARD.code)


def fill(_: Any, editor: Any) -> None:
    editor.execute(FILL)


class Migration(migrations.Migration):
    dependencies = [("substrate", "0023_merged_index")]
    operations = [
        GUARD_OFF,
        migrations.AddField("relationshipobservation", "stated_source", models.CharField(default="", max_length=28)),
        migrations.AddField("relationshipobservation", "stated_target", models.CharField(default="", max_length=28)),
        migrations.RunPython(fill, migrations.RunPython.noop),
        migrations.AddIndex(
            model_name="relationshipobservation",
            index=models.Index(fields=["stated_source", "id"], name="edge_history_from"),
        ),
        migrations.AddIndex(
            model_name="relationshipobservation",
            index=models.Index(fields=["stated_target", "id"], name="edge_history_to"),
        ),
        GUARD,
    ]
