"""What PostgreSQL's planner should know of field values, and an index of the threads that somebody began."""

from typing import Any

from django.db import migrations, models

TOGETHER = (
    "CREATE STATISTICS field_value_together (mcv) ON entity_type, field, text FROM substrate_fieldvalue",
    # Few values are common, and only of their own field: by themselves the columns say nothing of that.
    "ALTER TABLE substrate_fieldvalue ALTER COLUMN text SET STATISTICS 500",
)
APART = (
    "DROP STATISTICS field_value_together",
    "ALTER TABLE substrate_fieldvalue ALTER COLUMN text SET STATISTICS -1",
)


def inform(_: Any, editor: Any) -> None:
    _execute(editor, TOGETHER)


def forget(_: Any, editor: Any) -> None:
    _execute(editor, APART)


def _execute(editor: Any, statements: tuple[str, ...]) -> None:
    if editor.connection.vendor == "postgresql":
        for statement in statements:
            editor.execute(statement)


class Migration(migrations.Migration):
    dependencies = [("substrate", "0011_field_values")]
    operations = [
        migrations.AddIndex(
            "entity",
            models.Index(
                condition=models.Q(("thread_id", models.F("id"))), fields=["owner"], name="entity_own_threads"
            ),
        ),
        migrations.RunPython(inform, forget),
    ]
