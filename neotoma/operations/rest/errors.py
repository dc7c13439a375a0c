"""From an exception to the one error shape. The text of an unexpected exception stays in the log."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, ClassVar

import structlog
from django.conf import settings
from django.core.exceptions import RequestDataTooBig, TooManyFieldsSent
from django.db import InterfaceError, OperationalError
from django.http import Http404, HttpRequest, HttpResponse, UnreadablePostError
from rest_framework import exceptions

from neotoma.operations.challenge import challenge
from neotoma.operations.invoke import Busy
from neotoma.operations.json import BodyTooLarge, Malformed
from neotoma.operations.rest.responses import plain
from neotoma.substrate.errors import NotFound, Refusal

log = structlog.get_logger(__name__)


class MethodNotAllowed(Refusal):
    """The path exists, the method does not; `details.allow` names those that do."""

    error_code: ClassVar[str] = "METHOD_NOT_ALLOWED"
    status = 405


class LengthRequired(Refusal):
    error_code = "LENGTH_REQUIRED"
    status = 411
    hint = "Send Content-Length instead of Transfer-Encoding: chunked."


class UnsupportedMediaType(Refusal):
    error_code: ClassVar[str] = "UNSUPPORTED_MEDIA_TYPE"
    status = 415
    hint = "Send one JSON object with Content-Type: application/json."


class NotAcceptable(Refusal):
    error_code: ClassVar[str] = "NOT_ACCEPTABLE"
    status = 406
    hint = "Answers are application/json only."


class Internal(Refusal):
    """Ours, not the caller's."""

    error_code: ClassVar[str] = "INTERNAL"
    status = 500
    hint = "Report it with the request_id; the log has the rest."


def respond(error: Exception, request: HttpRequest) -> HttpResponse:
    """The response for any exception of a view; what is unexpected is logged with its trace."""
    refusal = as_refusal(error)
    if refusal is None:
        log.error("request failed", path=request.path, method=request.method, exc_info=error)
        refusal = Internal("The server failed.")
    return refused(refusal, request_id_of(request))


def refused(refusal: Refusal, request_id: str) -> HttpResponse:
    """One shape for every refusal, with the headers that belong to its status."""
    response = plain({**refusal.body(), "request_id": request_id}, refusal.status)
    for name, value in headers_of(refusal).items():
        response[name] = value
    return response


def headers_of(refusal: Refusal) -> dict[str, str]:
    details = refusal.details
    if refusal.status in (401, 403):
        return {"WWW-Authenticate": challenge(refusal, settings.NEOTOMA_BASE_URL)}
    if refusal.status not in (429, 503):
        return {}
    wait = str(details.get("retry_after", 1))
    return {"Retry-After": wait, **(_spent(details, wait) if "limit" in details else {})}


def as_refusal(error: Exception) -> Refusal | None:
    """The refusal that an exception stands for, or None when nobody expected it."""
    if isinstance(error, Refusal):
        return error
    if isinstance(error, OperationalError | InterfaceError):
        log.error("database unavailable", exc_info=error)
        return Busy("The database does not answer.", details={"retry_after": 1})
    return next((make() for kinds, make in _MEANINGS if isinstance(error, kinds)), None)


def request_id_of(request: HttpRequest) -> str:
    return str(request.META.get("neotoma.request_id", ""))


def _spent(details: Mapping[str, Any], wait: str) -> dict[str, str]:
    return {"RateLimit-Limit": str(details["limit"]), "RateLimit-Remaining": "0", "RateLimit-Reset": wait}


_MEANINGS: tuple[tuple[tuple[type[Exception], ...], Callable[[], Refusal]], ...] = (
    ((exceptions.UnsupportedMediaType,), lambda: UnsupportedMediaType("The body is not JSON.")),
    ((exceptions.NotAcceptable,), lambda: NotAcceptable("Nothing that the Accept header names is on offer.")),
    (
        (exceptions.ParseError, UnreadablePostError, TooManyFieldsSent),
        lambda: Malformed("The request is not readable."),
    ),
    ((RequestDataTooBig,), lambda: BodyTooLarge("The body is too large.")),
    ((Http404,), lambda: NotFound("There is nothing at this path.")),
)
