"""The project's own Django app: it has no models, only commands and the Celery app."""

from django.apps import AppConfig


class NeotomaConfig(AppConfig):
    """Makes `manage.py up` findable and every `shared_task` belong to our Celery app."""

    name = "neotoma"
    label = "neotoma"

    def ready(self) -> None:
        """Create the Celery app before anything publishes: an unset app would talk to amqp://localhost."""
        import neotoma.celery  # noqa: F401  (imported for its effect)
