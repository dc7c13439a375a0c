"""Issues: what agents report, and the thread about it."""

from django.apps import AppConfig


class IssuesConfig(AppConfig):
    name = "issues"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        from issues import schemas  # noqa: F401  declares the entity type
        from issues.operations import lifecycle, listing, messages, progress, status, submit, withdraw  # noqa: F401
