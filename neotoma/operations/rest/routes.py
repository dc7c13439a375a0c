"""From the registry to URL patterns: one view a path."""

from __future__ import annotations

from collections.abc import Iterable

from django.urls import URLPattern, path, re_path

from neotoma.operations.checks import PLACEHOLDER
from neotoma.operations.registry import Operation, operations
from neotoma.operations.rest.pages import Docs, ManifestView, OpenApi
from neotoma.operations.rest.views import OperationView, Unmapped


def urlpatterns() -> list[URLPattern]:
    """Everything below /api/. Operations without a description answer too; only agents do not hear of them."""
    return [
        path("openapi.json", OpenApi.as_view(), name="api-openapi"),
        path("manifest", ManifestView.as_view(), name="api-manifest"),
        path("docs", Docs.as_view(), name="api-docs"),
        *operation_patterns(operations().values()),
        re_path(r"^.*$", Unmapped.as_view(), name="api-unmapped"),
    ]


def operation_patterns(ops: Iterable[Operation]) -> list[URLPattern]:
    """One pattern a path; fixed words come before placeholders, so that `issues/search` is never an issue."""
    by_path: dict[str, dict[str, Operation]] = {}
    for op in ops:
        by_path.setdefault(op.route.path, {})[op.route.method] = op
    ordered = sorted(by_path, key=lambda route: [(part.startswith("{"), part) for part in route.split("/")])
    return [
        path(PLACEHOLDER.sub(r"<str:\1>", route), OperationView.as_view(by_method=by_path[route]), name=f"api-{route}")
        for route in ordered
    ]
