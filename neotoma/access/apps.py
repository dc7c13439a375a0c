"""Who calls: agents, tokens, guests, staff."""

from django.apps import AppConfig


class AccessConfig(AppConfig):
    name = "neotoma.access"
    label = "access"
    default_auto_field = "django.db.models.BigAutoField"
