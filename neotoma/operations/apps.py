"""How the world calls in: one declaration, every surface."""

from django.apps import AppConfig


class OperationsConfig(AppConfig):
    name = "neotoma.operations"
    label = "operations"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        from neotoma.operations import catalogue, checks, events  # noqa: F401
        from neotoma.operations.entities import (  # noqa: F401
            changes,
            correct,
            find,
            history,
            life,
            many,
            read,
            regroup,
            store,
            timeline,
        )
        from neotoma.operations.relationships import listing, state, takeback, walks  # noqa: F401
        from neotoma.operations.sources import keep  # noqa: F401
        from neotoma.operations.sources import read as _read  # noqa: F401
        from neotoma.operations.sources import takeback as _takeback  # noqa: F401
        from neotoma.operations.types import describe, extend, overview, register, revert  # noqa: F401
