"""The substrate stores facts and signals that they were stored."""

from django.apps import AppConfig


class SubstrateConfig(AppConfig):
    name = "neotoma.substrate"
    label = "substrate"
    default_auto_field = "django.db.models.BigAutoField"
