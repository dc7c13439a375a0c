"""`/healthz` (the process answers), `/readyz` (its database and broker too) and `/metrics`."""

from django.conf import settings
from django.db import DatabaseError, connection
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.views.decorators.http import require_safe
from prometheus_client import CONTENT_TYPE_LATEST

from neotoma.access.authenticate import from_header
from neotoma.celery import app
from neotoma.metrics import render
from neotoma.queues import broker_answers
from neotoma.substrate.errors import Refusal

LOOPBACK = frozenset({"127.0.0.1", "::1"})


@require_safe
def healthz(request: HttpRequest) -> JsonResponse:
    """200 while the process answers at all."""
    return JsonResponse({"status": "ok", "version": settings.VERSION})


@require_safe
def readyz(request: HttpRequest) -> JsonResponse:
    """200 when database and broker answer, else 503 and `unanswered` names which did not, within three seconds.

    Without its broker an instance still takes writes, and rows wait: who only wants to know whether to send requests
    here asks `/healthz`.
    """
    answers = {"database": _database_answers(), "broker": broker_answers(app)}
    unanswered = [name for name, answered in answers.items() if not answered]
    if unanswered:
        return JsonResponse({"status": "unavailable", "unanswered": unanswered, **answers}, status=503)
    return JsonResponse({"status": "ready", **answers})


@require_safe
def metrics(request: HttpRequest) -> HttpResponse:
    """Prometheus' text format, for this machine or an operator's token; everybody else gets a 404."""
    if not (_is_direct_loopback(request) or _is_operator(request)):
        return HttpResponse(status=404)
    return HttpResponse(render(app), content_type=CONTENT_TYPE_LATEST)


def _database_answers() -> bool:
    try:
        with connection.cursor() as cursor:
            cursor.execute("SELECT 1")
            return True
    except DatabaseError:
        return False


def _is_direct_loopback(request: HttpRequest) -> bool:
    """A proxy on this machine also connects from loopback, but says for whom."""
    return request.META.get("REMOTE_ADDR") in LOOPBACK and not (
        request.headers.get("X-Forwarded-For") or request.headers.get("Forwarded")
    )


def _is_operator(request: HttpRequest) -> bool:
    try:
        return "operate" in from_header(request.headers.get("Authorization")).scopes
    except Refusal:
        return False
