"""Indexed fields know the kind of each value and the elements of lists; texts are found by any part of them."""

from typing import Any

from django.db import ProgrammingError, migrations, models, transaction
from django.db.models import Q

from neotoma.substrate.indexing import rows_of_value

WHOLE = ("text", "number", "json")
BATCH = 500


def compare_by_code_points(_: Any, editor: Any) -> None:
    """SQLite does so by itself."""
    if editor.connection.vendor == "postgresql":
        editor.execute('ALTER TABLE substrate_fieldvalue ALTER COLUMN text TYPE varchar(300) COLLATE "C"')


def find_parts(_: Any, editor: Any) -> None:
    """An index for parts of texts, where the database has it or lets its owner add it; without, parts are found too."""
    if editor.connection.vendor != "postgresql":
        return
    try:
        with transaction.atomic():
            editor.execute("CREATE EXTENSION IF NOT EXISTS pg_trgm")
            editor.execute("CREATE INDEX field_value_parts ON substrate_fieldvalue USING gin (folded gin_trgm_ops)")
    except ProgrammingError:
        return


def lose_parts(_: Any, editor: Any) -> None:
    if editor.connection.vendor == "postgresql":
        editor.execute("DROP INDEX IF EXISTS field_value_parts")


def index_again(apps: Any, editor: Any) -> None:
    model, last = apps.get_model("substrate", "FieldValue"), 0
    while batch := list(model.objects.filter(pk__gt=last, kind="").select_related("entity").order_by("pk")[:BATCH]):
        made = []
        for row in batch:
            parts = rows_of_value(row.entity.snapshot.get(row.field), row.text)
            made += [model(entity=row.entity, entity_type=row.entity_type, field=row.field, **part) for part in parts]
        model.objects.filter(pk__in=[row.pk for row in batch]).delete()
        model.objects.bulk_create(made)
        last = batch[-1].pk
    if editor.connection.vendor == "postgresql":
        editor.execute("SET CONSTRAINTS ALL IMMEDIATE")  # checks that wait would keep the table from being altered


class Migration(migrations.Migration):
    dependencies = [("substrate", "0025_sources_kept_once")]
    operations = [
        migrations.AddField("fieldvalue", "kind", models.CharField(default="", max_length=11)),
        migrations.AddField("fieldvalue", "folded", models.TextField(blank=True, default="")),
        migrations.RemoveConstraint("fieldvalue", "field_value_once"),
        migrations.RunPython(index_again, migrations.RunPython.noop),
        migrations.AlterField("fieldvalue", "kind", models.CharField(default="text", max_length=11)),
        migrations.AddConstraint(
            "fieldvalue",
            models.UniqueConstraint(condition=Q(kind__in=WHOLE), fields=["entity", "field"], name="field_value_once"),
        ),
        migrations.AddConstraint(
            "fieldvalue",
            models.CheckConstraint(
                condition=Q(kind__in=(*WHOLE, *(f"{kind}_item" for kind in WHOLE))), name="field_value_kind_known"
            ),
        ),
        migrations.RunPython(compare_by_code_points, migrations.RunPython.noop),
        migrations.RunPython(find_parts, lose_parts),
    ]
