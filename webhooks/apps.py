"""Webhooks: who is told what was stored."""

from django.apps import AppConfig


class WebhooksConfig(AppConfig):
    name = "webhooks"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        from neotoma.metrics import report_oldest
        from webhooks import consumers, schemas  # noqa: F401  declares the consumer and the entity type
        from webhooks.attempts import oldest_pending_s
        from webhooks.operations import status, subscribe, unsubscribe  # noqa: F401

        report_oldest("delivery", oldest_pending_s)
