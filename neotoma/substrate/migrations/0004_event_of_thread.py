from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("substrate", "0003_full_text")]

    operations = [
        migrations.AddIndex(
            model_name="event",
            index=models.Index(
                condition=models.Q(("thread_id", ""), _negated=True),
                fields=["thread_id", "seq"],
                name="event_of_thread",
            ),
        ),
    ]
