"""An API token is called so, in the admin and in the manifest."""

from django.db import migrations


class Migration(migrations.Migration):
    dependencies = [("access", "0001_initial")]

    operations = [migrations.AlterModelOptions(name="apitoken", options={"verbose_name": "API token"})]
