"""Raw material is kept once within a scope, and can be taken back."""

import django.db.models.deletion
import django.db.models.functions.datetime
from django.db import migrations, models

from neotoma.substrate.triggers import append_only

GUARD = append_only("substrate_source")
"""Changing a table makes it anew on SQLite, without its triggers: they go before, and come back at the end."""
GUARD_OFF = migrations.RunPython(GUARD.reverse_code or migrations.RunPython.noop, GUARD.code)


class Migration(migrations.Migration):
    dependencies = [("substrate", "0024_history_of_edges")]
    operations = [
        GUARD_OFF,
        migrations.AddField("source", "scope", models.CharField(blank=True, default="", max_length=80)),
        migrations.AddField("source", "encoding", models.CharField(default="text", max_length=6)),
        migrations.AddField("source", "size", models.PositiveIntegerField(default=0)),
        migrations.AddConstraint(
            model_name="source",
            constraint=models.UniqueConstraint(
                condition=models.Q(("scope", ""), _negated=True),
                fields=("scope", "content_hash"),
                name="source_kept_once",
            ),
        ),
        GUARD,
        migrations.CreateModel(
            name="Withdrawal",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("actor_key", models.CharField(max_length=80)),
                ("created_at", models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
                (
                    "source",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="withdrawal",
                        to="substrate.source",
                    ),
                ),
            ],
        ),
    ]
