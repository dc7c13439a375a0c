"""Every route that writes is an operation, or a screen for people with a reason."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from django.test import Client
from django.urls import URLPattern, URLResolver, get_resolver

from neotoma.operations.checks import gaps
from neotoma.operations.registry import Operation, operations
from neotoma.operations.rest.views import OperationView
from neotoma.operations.screens import screens

DOORS = {
    "mcp": "Calls operations by name.",
    "mcp/readonly": "Calls operations that read.",
    "mcp/x/<str:toolsets>": "Calls the operations of some toolsets.",
}
"""Routes that take a POST and hand it to operations, so they write nothing themselves."""

ADMIN = {
    "admin/login/": "A person signs in.",
    "admin/logout/": "A person signs out.",
    "admin/password_change/": "A person changes their own password.",
}
"""Routes of the admin that belong to no model."""

METADATA = (".well-known/oauth-protected-resource", ".well-known/oauth-protected-resource/mcp")
READS = {"", *METADATA, "healthz", "readyz", "metrics", "api/openapi.json", "api/manifest", "api/docs", "api/^.*$"}
"""Routes that refuse every method that could write."""


def _routes(patterns: Any, prefix: str = "") -> Iterator[tuple[str, URLPattern]]:
    for pattern in patterns:
        place = prefix + str(pattern.pattern)
        if isinstance(pattern, URLResolver):
            yield from _routes(pattern.url_patterns, place)
        else:
            yield place, pattern


def _mounted() -> dict[str, URLPattern]:
    return dict(_routes(get_resolver().url_patterns))


def _is_operation(pattern: URLPattern) -> bool:
    return getattr(pattern.callback, "cls", None) is OperationView


def _by_method(pattern: URLPattern) -> dict[str, Operation]:
    found: dict[str, Operation] = getattr(pattern.callback, "view_initkwargs")["by_method"]  # noqa: B009  set by Django
    return found


def test_every_operation_is_mounted_where_it_says() -> None:
    found = {
        (place, method): op.name
        for place, pattern in _mounted().items()
        if _is_operation(pattern)
        for method, op in _by_method(pattern).items()
    }
    assert sorted(found.values()) == sorted(operations())
    for (place, method), name in found.items():
        route = operations()[name].route
        expected = "api/" + route.path.replace("{", "<str:").replace("}", ">")
        assert (place, method) == (expected, route.method)


def test_reads_are_gets_and_writes_are_not() -> None:
    wrong = [op.name for op in operations().values() if op.effect == "write" and op.route.method == "GET"]
    assert wrong == []


def test_every_other_route_is_known_and_has_a_reason() -> None:
    human = [screen.path.strip("/") for screen in screens().values() if screen.human_only]
    unknown = [
        place
        for place, pattern in _mounted().items()
        if not _is_operation(pattern)
        and place not in {*DOORS, *ADMIN, *READS}
        and not any(place.startswith(path) for path in human)
        and not _is_admin_read(place)
    ]
    assert unknown == []


def _is_admin_read(place: str) -> bool:
    """Pages of the admin site itself that only show: its index, lists of an app, completion, redirects, scripts."""
    rest = place.removeprefix("admin/")
    return place.startswith("admin/") and (
        rest in ("", "autocomplete/", "jsi18n/", "password_change/done/", "r/<path:content_type_id>/<path:object_id>/")
        or rest.startswith(("^(?P<app_label>", "(?P<url>"))
    )


@pytest.mark.django_db
@pytest.mark.parametrize("method", ["POST", "PUT", "PATCH", "DELETE"])
def test_what_only_reads_refuses_to_be_written_to(method: str) -> None:
    paths = [*METADATA, "healthz", "readyz", "metrics", "api/openapi.json", "api/manifest", "api/docs", "api/nowhere"]
    statuses = {path: Client().generic(method, f"/{path}").status_code for path in paths}
    assert statuses == {path: 404 if path == "api/nowhere" else 405 for path in paths}


def test_screens_for_people_say_why() -> None:
    assert all(screen.visible for screen in screens().values())
    assert {"admin_auth_user", "admin_auth_group"} <= screens().keys()


def test_this_installation_has_no_gap() -> None:
    assert gaps() == []
