"""The audit is never changed."""

from django.db import migrations

from neotoma.substrate.triggers import append_only


class Migration(migrations.Migration):
    dependencies = [("operations", "0001_initial"), ("substrate", "0002_append_only")]
    operations = [append_only("operations_auditentry")]
