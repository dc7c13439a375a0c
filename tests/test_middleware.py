"""What every answer carries, and what only pages for people pay for."""

from typing import Any

import pytest
from django.contrib.auth.models import AnonymousUser
from django.core.exceptions import DisallowedHost
from django.http import HttpRequest, HttpResponse, StreamingHttpResponse
from django.http.response import HttpResponseBase
from django.test import RequestFactory

from neotoma.logs import current_request_id
from neotoma.middleware import Authentication, Csrf, Messages, RequestId, Security, Sessions

API = ("/api/issues", "/mcp", "/healthz", "/administration")
PAGES = ("/admin/", "/admin/login/")


def _hello(request: HttpRequest) -> HttpResponse:
    return HttpResponse(f"hello {current_request_id()}")


def _chain(request: HttpRequest) -> HttpResponseBase:
    """The sign-in middlewares in the order of the settings, around a view that tells what they did."""

    def view(inner: HttpRequest) -> HttpResponseBase:
        return HttpResponse(",".join(name for name in ("session", "user", "_messages") if hasattr(inner, name)))

    middlewares: Any = Sessions(Csrf(Authentication(Messages(view))))
    response: HttpResponseBase = middlewares(request)
    return response


def test_an_id_is_made_logged_and_answered() -> None:
    response = RequestId(_hello)(RequestFactory().get("/api/issues"))
    assert isinstance(response, HttpResponse)
    assert response.content.decode() == f"hello {response.headers['X-Request-Id']}"
    assert current_request_id() == ""


def test_a_callers_id_is_kept() -> None:
    response = RequestId(_hello)(RequestFactory().get("/api/issues", headers={"X-Request-Id": "caller-0001"}))
    assert response.headers["X-Request-Id"] == "caller-0001"


def test_a_failing_view_leaves_no_id_behind() -> None:
    def fails(request: HttpRequest) -> HttpResponseBase:
        raise LookupError

    with pytest.raises(LookupError):
        RequestId(fails)(RequestFactory().get("/"))
    assert current_request_id() == ""


@pytest.mark.parametrize("path", API)
def test_a_token_request_pays_for_no_sign_in(path: str) -> None:
    response = _chain(RequestFactory().post(path))
    assert isinstance(response, HttpResponse)
    assert response.content == b""
    assert response.cookies == {}


@pytest.mark.parametrize("path", PAGES)
def test_a_page_has_session_user_and_messages(path: str) -> None:
    response = _chain(RequestFactory().get(path))
    assert isinstance(response, HttpResponse)
    assert response.content == b"session,user,_messages"


@pytest.mark.parametrize(("path", "refused"), [("/admin/login/", True), ("/api/issues", False), ("/mcp", False)])
def test_a_form_needs_its_token_and_an_api_call_does_not(path: str, refused: bool) -> None:
    request = RequestFactory(enforce_csrf_checks=True).post(path)
    request.user = AnonymousUser()
    middleware = Csrf(_hello)
    middleware.process_request(request)
    response = middleware.process_view(request, _hello, (), {})
    assert (response is not None and response.status_code == 403) == refused


def test_every_answer_has_safe_headers_and_its_length() -> None:
    response = Security(lambda request: HttpResponse(b"{}", content_type="application/json"))(RequestFactory().get("/"))
    assert response.headers["X-Content-Type-Options"] == "nosniff"
    assert response.headers["X-Frame-Options"] == "DENY"
    assert response.headers["Content-Length"] == "2"
    assert "Content-Security-Policy" not in response.headers


def test_a_foreign_host_name_is_refused() -> None:
    with pytest.raises(DisallowedHost):
        Security(_hello)(RequestFactory().get("/metrics", headers={"Host": "attacker.example"}))


def test_a_page_runs_no_inline_script() -> None:
    headers = Security(_hello)(RequestFactory().get("/admin/")).headers
    policy = headers["Content-Security-Policy"]
    assert headers["Cross-Origin-Opener-Policy"] == "same-origin"
    directives = dict(part.strip().split(" ", 1) for part in policy.split(";"))
    assert directives["default-src"] == "'none'"
    assert directives["script-src"] == "'self'"
    assert "unsafe" not in policy


def test_a_stream_has_no_length() -> None:
    response = Security(lambda request: StreamingHttpResponse(iter([b"a"])))(RequestFactory().get("/events/stream"))
    assert "Content-Length" not in response.headers
