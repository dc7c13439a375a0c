"""Formica: reads what is reported, classifies it, plans, and asks."""

from django.apps import AppConfig


class TriageConfig(AppConfig):
    name = "triage"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        from neotoma.metrics import report_oldest
        from triage import consumers, types  # noqa: F401  declares the consumer and the entity types
        from triage.cases import oldest_due_s
        from triage.operations import daemons, plans, previews, process, propose, switches  # noqa: F401
        from triage.runs import oldest_queued_s

        report_oldest("case", oldest_due_s)
        report_oldest("run", oldest_queued_s)
