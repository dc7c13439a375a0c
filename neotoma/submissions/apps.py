"""What every submission stands on: config, thread, grant, links."""

from django.apps import AppConfig


class SubmissionsConfig(AppConfig):
    name = "neotoma.submissions"
    label = "submissions"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        from neotoma.submissions import operations, types  # noqa: F401  declares the entity types and operations
