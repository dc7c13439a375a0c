"""Middlewares: request id, latency and safe headers everywhere; sessions and CSRF only on pages for people."""

import time
from collections.abc import Callable
from typing import Any

from django.conf import settings
from django.contrib.auth.middleware import AuthenticationMiddleware
from django.contrib.messages.middleware import MessageMiddleware
from django.contrib.sessions.middleware import SessionMiddleware
from django.http import HttpRequest, HttpResponse, HttpResponseForbidden
from django.http.response import HttpResponseBase
from django.middleware.csrf import CsrfViewMiddleware

from neotoma.logs import accepted_request_id, bind_request_id, forget_request_id
from neotoma.metrics import observe_request

GetResponse = Callable[[HttpRequest], HttpResponseBase]

# No inline script or style, nothing from elsewhere, no framing, forms only to ourselves.
PAGE_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; "
    "connect-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'"
)


def is_page(path: str) -> bool:
    """Whether people sign in to look at this path."""
    return path.startswith(settings.NEOTOMA_PAGES)


class RequestId:
    """Takes or makes `X-Request-Id`, puts it on the request, the log lines and the response."""

    def __init__(self, get_response: GetResponse) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        request_id = accepted_request_id(request.headers.get("X-Request-Id", ""))
        request.META["neotoma.request_id"] = request_id
        bind_request_id(request_id)
        try:
            response = self.get_response(request)
        finally:
            forget_request_id()
        response.headers.setdefault("X-Request-Id", request_id)
        return response


class Latency:
    """Counts and times each request under its route, never under its raw path: ids would grow without end."""

    def __init__(self, get_response: GetResponse) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        started = time.perf_counter()
        response = self.get_response(request)
        match = request.resolver_match
        route = match.route if match else "unmatched"
        observe_request(request.method or "", route, response.status_code, time.perf_counter() - started)
        return response


class Security:
    """Refuses foreign host names, so that no web page can rebind its own name to a local instance; adds headers.

    The length is among them: without it the server falls back to chunks.
    """

    def __init__(self, get_response: GetResponse) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        request.get_host()  # raises DisallowedHost, which becomes a 400
        response = self.get_response(request)
        response.headers.setdefault("X-Content-Type-Options", "nosniff")
        response.headers.setdefault("Referrer-Policy", "same-origin")
        response.headers.setdefault("X-Frame-Options", "DENY")
        if response.headers.get("Content-Type", "").startswith("text/html"):
            response.headers.setdefault("Content-Security-Policy", PAGE_POLICY)
            response.headers.setdefault("Cross-Origin-Opener-Policy", "same-origin")
        if isinstance(response, HttpResponse):
            response.headers.setdefault("Content-Length", str(len(response.content)))
        return response


class Sessions(SessionMiddleware):
    """Sessions for people only."""

    def process_request(self, request: HttpRequest) -> None:
        if is_page(request.path_info):
            super().process_request(request)

    def process_response(self, request: HttpRequest, response: HttpResponse) -> HttpResponse:
        return super().process_response(request, response) if is_page(request.path_info) else response


class Csrf(CsrfViewMiddleware):
    """CSRF checks where a cookie is a credential; elsewhere tokens are, and a browser sends none by itself."""

    def process_request(self, request: HttpRequest) -> None:
        if is_page(request.path_info):
            super().process_request(request)

    def process_view(
        self,
        request: HttpRequest,
        callback: Callable[..., HttpResponseBase],
        callback_args: tuple[Any, ...],
        callback_kwargs: dict[str, Any],
    ) -> HttpResponseForbidden | None:
        if not is_page(request.path_info):
            return None
        return super().process_view(request, callback, callback_args, callback_kwargs)

    def process_response(self, request: HttpRequest, response: HttpResponseBase) -> HttpResponseBase:
        return super().process_response(request, response) if is_page(request.path_info) else response


class Authentication(AuthenticationMiddleware):
    """`request.user` from the session, on pages for people."""

    def process_request(self, request: HttpRequest) -> None:
        if is_page(request.path_info):
            super().process_request(request)


class Messages(MessageMiddleware):
    """Notes from one page to the next, on pages for people."""

    def process_request(self, request: HttpRequest) -> None:
        if is_page(request.path_info):
            super().process_request(request)
