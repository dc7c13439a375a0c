"""Webhooks: who is told what was stored."""

from django.apps import AppConfig


class WebhooksConfig(AppConfig):
    name = "webhooks"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        from webhooks import consumers, schemas  # noqa: F401  declares the consumer and the entity type
        from webhooks.operations import status, subscribe, unsubscribe  # noqa: F401
