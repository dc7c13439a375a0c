"""`POST /mcp`, `/mcp/readonly` and `/mcp/x/<toolsets>`: a thin synchronous door before the dispatcher."""

from __future__ import annotations

from functools import partial
from typing import Final
from urllib.parse import urlsplit

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.views.decorators.csrf import csrf_exempt

from neotoma.logs import new_request_id
from neotoma.operations.door import admit
from neotoma.operations.json import MAX_BYTES, BodyTooLarge, parse
from neotoma.operations.mcp import selection
from neotoma.operations.mcp.dispatcher import Dispatcher, unreadable
from neotoma.operations.mcp.exchange import Visit
from neotoma.operations.mcp.results import Reply, encoded, refusal_body
from neotoma.operations.remote import remote_address
from neotoma.substrate.errors import Refusal

DISPATCHER: Final = Dispatcher()


class MethodNotAllowed(Refusal):
    """There is no stream to open and no session to end here."""

    error_code = "METHOD_NOT_ALLOWED"
    status = 405
    hint = "POST one JSON-RPC message."


class ForeignOrigin(Refusal):
    """A browser says so for a page that is not ours: it must not reach a server on the machine of its visitor."""

    error_code = "ORIGIN_NOT_ALLOWED"
    status = 403
    hint = "Call from a program, or from a page of this instance."


class NotJson(Refusal):
    error_code = "UNSUPPORTED_MEDIA_TYPE"
    status = 415
    hint = "Send Content-Type: application/json."


@csrf_exempt
def mcp_view(request: HttpRequest, toolsets: str = "") -> HttpResponse:
    """Answers every message itself; refusals of the door have the shape of every other refusal."""
    request_id = request.META.get("neotoma.request_id") or new_request_id()
    try:
        _refuse_strangers(request)
        chosen = _selection(request, toolsets)
    except Refusal as refusal:
        return _refused(refusal, request_id)
    try:
        message = parse(request.body)
    except Refusal as refusal:
        return _sent(unreadable(refusal, None, request_id))
    address, credential = remote_address(request), request.headers.get("Authorization")
    enter = partial(admit, credential, surface="mcp", request_id=request_id, address=address)
    visit = Visit(enter, "mcp", request_id, chosen, address)
    return _sent(DISPATCHER.handle(message, headers=request.headers, visit=visit))


def _refuse_strangers(request: HttpRequest) -> None:
    """Whatever can be refused before the body is read."""
    if request.method != "POST":
        raise MethodNotAllowed(f"{request.method} is not served here.")
    origin = request.headers.get("Origin")
    if origin is not None and not _is_ours(origin, request.get_host()):
        raise ForeignOrigin("The Origin of this request is not this instance.")
    if request.content_type != "application/json":
        raise NotJson("The body is not declared as JSON.")
    if int(request.META.get("CONTENT_LENGTH") or 0) > MAX_BYTES:
        raise BodyTooLarge(f"The body has more than {MAX_BYTES} bytes.", details={"limit_bytes": MAX_BYTES})


def _is_ours(origin: str, host: str) -> bool:
    """A page of the host that was asked for, which the middleware checked, is ours; so are those the settings trust."""
    return origin in settings.CSRF_TRUSTED_ORIGINS or (
        urlsplit(origin).scheme in ("http", "https") and urlsplit(origin).netloc.lower() == host.lower()
    )


def _selection(request: HttpRequest, toolsets: str) -> selection.Selection:
    if toolsets:
        return selection.of_names(toolsets, DISPATCHER.tools.toolsets())
    return selection.READ_ONLY if request.path_info.rstrip("/").endswith("/readonly") else selection.DEFAULT


def _refused(refusal: Refusal, request_id: str) -> HttpResponse:
    headers = {"Allow": "POST"} if isinstance(refusal, MethodNotAllowed) else {}
    return _sent(Reply(refusal.status, encoded(refusal_body(refusal, request_id)), headers))


def _sent(reply: Reply) -> HttpResponse:
    kind = "application/json" if reply.body else None
    return HttpResponse(reply.body, status=reply.status, headers=dict(reply.headers), content_type=kind)
