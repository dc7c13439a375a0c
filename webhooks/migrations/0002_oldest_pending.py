"""The delivery that waits longest is found at once, however many have been sent."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("webhooks", "0001_initial")]

    operations = [
        migrations.AddIndex(
            model_name="delivery",
            index=models.Index(fields=["created_at"], name="delivery_oldest", condition=models.Q(outcome="pending")),
        ),
    ]
