"""Merging and splitting: where an entity reads on, where an edge was stated, and every decision in order."""

import django.db.models.deletion
import django.db.models.functions.datetime
from django.db import migrations, models
from django.db.models import Q

from neotoma.substrate.triggers import append_only

ENTITY = "substrate.entity"
PROTECT = django.db.models.deletion.PROTECT


class Migration(migrations.Migration):
    dependencies = [("substrate", "0021_newest_relationships")]

    operations = [
        migrations.CreateModel(
            name="Regrouping",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("kind", models.CharField(max_length=5)),
                ("observations", models.JSONField(default=list)),
                ("actor_key", models.CharField(max_length=80)),
                ("created_at", models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
                ("entity", models.ForeignKey(on_delete=PROTECT, related_name="regroupings", to=ENTITY)),
                ("target", models.ForeignKey(on_delete=PROTECT, related_name="regroupings_towards", to=ENTITY)),
            ],
            options={
                "constraints": [
                    models.CheckConstraint(
                        condition=Q(kind__in=("merge", "part", "split")), name="regrouping_kind_known"
                    )
                ],
            },
        ),
        append_only("substrate_regrouping"),
        migrations.AddField(
            "entity",
            "merged_root",
            models.ForeignKey(db_index=False, null=True, on_delete=PROTECT, related_name="+", to=ENTITY),
        ),
        migrations.AddField("entity", "regrouped", models.BooleanField(default=False)),
        migrations.AddIndex(
            "entity",
            models.Index(condition=Q(merged_root__isnull=False), fields=["merged_root"], name="entity_merged_root"),
        ),
        migrations.AddConstraint(
            "entity",
            models.CheckConstraint(
                condition=Q(merged_into=None, merged_root=None)
                | Q(merged_into__isnull=False, merged_root__isnull=False),
                name="entity_merged_leads_somewhere",
            ),
        ),
        migrations.AddField("relationship", "doubled", models.BooleanField(default=False)),
        migrations.AddField("relationship", "stated_source", models.CharField(blank=True, max_length=28)),
        migrations.AddField("relationship", "stated_target", models.CharField(blank=True, max_length=28)),
        migrations.AddConstraint(
            "relationship",
            models.UniqueConstraint(
                condition=Q(deleted_at=None),
                fields=["source", "relationship_type", "target"],
                name="relationship_stands_once",
            ),
        ),
        migrations.AddConstraint(
            "relationship",
            models.CheckConstraint(
                condition=Q(doubled=False) | Q(deleted_at__isnull=False), name="relationship_doubled_is_aside"
            ),
        ),
    ]
