"""The edges of an entity are read newest first, by type or not, from an index."""

import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("substrate", "0020_search_words"),
    ]

    operations = [
        migrations.RemoveIndex(
            model_name="relationship",
            name="relationship_from",
        ),
        migrations.RemoveIndex(
            model_name="relationship",
            name="relationship_to",
        ),
        migrations.AlterField(
            model_name="relationship",
            name="source",
            field=models.ForeignKey(
                db_index=False,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="outgoing",
                to="substrate.entity",
            ),
        ),
        migrations.AlterField(
            model_name="relationship",
            name="target",
            field=models.ForeignKey(
                db_index=False,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="incoming",
                to="substrate.entity",
            ),
        ),
        migrations.AddIndex(
            model_name="relationship",
            index=models.Index(fields=["source", "-created_at", "-id"], name="relationship_from_newest"),
        ),
        migrations.AddIndex(
            model_name="relationship",
            index=models.Index(fields=["target", "-created_at", "-id"], name="relationship_to_newest"),
        ),
        migrations.AddIndex(
            model_name="relationship",
            index=models.Index(
                fields=["source", "relationship_type", "-created_at", "-id"], name="relationship_from_of_type"
            ),
        ),
        migrations.AddIndex(
            model_name="relationship",
            index=models.Index(
                fields=["target", "relationship_type", "-created_at", "-id"], name="relationship_to_of_type"
            ),
        ),
    ]
