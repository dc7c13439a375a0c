"""Entity types that are defined as data, and the work of bringing entities in line with them."""

from typing import Any

import django.db.models.functions.datetime
from django.db import migrations, models


def make_row(apps: Any, _: Any) -> None:
    apps.get_model("substrate", "TypeCatalogue").objects.get_or_create(pk=1, defaults={"revision": 0})


class Migration(migrations.Migration):
    dependencies = [("substrate", "0010_regrouping")]
    operations = [
        migrations.CreateModel(
            name="TypeCatalogue",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("revision", models.BigIntegerField()),
            ],
        ),
        migrations.RunPython(make_row, migrations.RunPython.noop),
        migrations.CreateModel(
            name="Backfill",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("entity_type", models.CharField(max_length=64)),
                ("before", models.JSONField(null=True)),
                ("unready", models.JSONField(default=list)),
                ("seen_at", models.DateTimeField(null=True)),
                ("seen_id", models.CharField(blank=True, max_length=28)),
                ("touched_at", models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
            ],
        ),
    ]
