"""One log stream: JSON or console lines, each with the id of the request that caused it."""

import logging
import re
import sys
import uuid
from collections.abc import Mapping
from typing import Any

import structlog
from structlog.typing import Processor

REQUEST_ID = "request_id"
_ACCEPTED_ID = re.compile(r"[A-Za-z0-9._-]{8,64}")

# A refusal is an answer, not an incident, and two lines a task drown those that say something.
_QUIETER = {"django.request": "ERROR", "celery": "WARNING", "kombu": "WARNING"}

_SHARED: list[Processor] = [
    structlog.contextvars.merge_contextvars,
    structlog.stdlib.add_log_level,
    structlog.stdlib.add_logger_name,
    structlog.processors.TimeStamper(fmt="iso", utc=True),
    structlog.processors.StackInfoRenderer(),
]


def configure(options: Mapping[str, Any]) -> None:
    """Send standard and structlog records through one handler. `options`: format (json|console) and level."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(
        structlog.stdlib.ProcessorFormatter(
            foreign_pre_chain=_SHARED,
            processors=[structlog.stdlib.ProcessorFormatter.remove_processors_meta, *_renderers(options["format"])],
        )
    )
    root = logging.getLogger()
    root.handlers = [handler]
    root.setLevel(options["level"])
    for name, level in _QUIETER.items():
        logging.getLogger(name).setLevel(level)
    structlog.configure(
        processors=[*_SHARED, structlog.stdlib.ProcessorFormatter.wrap_for_formatter],
        logger_factory=structlog.stdlib.LoggerFactory(),
        wrapper_class=structlog.stdlib.BoundLogger,
        cache_logger_on_first_use=True,
    )


def _renderers(kind: str) -> list[Processor]:
    if kind == "console":
        return [structlog.dev.ConsoleRenderer(colors=False, exception_formatter=structlog.dev.plain_traceback)]
    return [structlog.processors.format_exc_info, structlog.processors.JSONRenderer()]


def new_request_id() -> str:
    """A fresh id: 32 hex digits."""
    return uuid.uuid4().hex


def accepted_request_id(offered: str) -> str:
    """The caller's id when it is a plain word of 8 to 64 characters, else a fresh one."""
    return offered if _ACCEPTED_ID.fullmatch(offered) else new_request_id()


def bind_request_id(request_id: str) -> None:
    """Put the id on every log line of this request or task."""
    structlog.contextvars.bind_contextvars(request_id=request_id)


def current_request_id() -> str:
    """The id of the request or task at hand, or an empty string."""
    return str(structlog.contextvars.get_contextvars().get(REQUEST_ID, ""))


def forget_request_id() -> None:
    """End of the request or task."""
    structlog.contextvars.unbind_contextvars(REQUEST_ID)
