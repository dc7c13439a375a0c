"""What describes the API: the OpenAPI document, the manifest, and a page for people."""

from __future__ import annotations

from functools import lru_cache
from itertools import groupby
from typing import Any

from django.conf import settings
from django.http import HttpResponse
from django.template.loader import render_to_string
from rest_framework.negotiation import BaseContentNegotiation
from rest_framework.renderers import BaseRenderer
from rest_framework.request import Request

from neotoma.operations.manifest import manifest
from neotoma.operations.registry import Operation, operations, visible_operations
from neotoma.operations.rest import responses
from neotoma.operations.rest.openapi import document
from neotoma.operations.rest.views import ApiView
from neotoma.operations.texts import forms, schema_of


class OpenApi(ApiView):
    """The document, made once for the operations that are declared."""

    def get(self, request: Request) -> HttpResponse:
        return responses.tagged(_openapi(tuple(operations().values())), request.headers.get("If-None-Match"))


class ManifestView(ApiView):
    """What this installation can do."""

    def get(self, request: Request) -> HttpResponse:
        found = manifest(version=settings.VERSION, base_url=settings.NEOTOMA_BASE_URL)
        return responses.tagged(responses.encode(found), request.headers.get("If-None-Match"))


class AnyAccept(BaseContentNegotiation):
    """One form, whatever the browser prefers."""

    def select_renderer(
        self, request: Request, renderers: Any, format_suffix: str | None = None
    ) -> tuple[BaseRenderer, str]:
        return renderers[0], renderers[0].media_type

    def select_parser(self, request: Request, parsers: Any) -> Any:
        return parsers[0]


class Docs(ApiView):
    """The operations as a page that needs no script and no other host."""

    content_negotiation_class = AnyAccept

    def get(self, request: Request) -> HttpResponse:
        return HttpResponse(render_to_string("operations/docs.html", {"toolsets": _toolsets()}))


@lru_cache(maxsize=2)
def _openapi(ops: tuple[Operation, ...]) -> bytes:
    made = document(ops, version=settings.VERSION, base_url=settings.NEOTOMA_BASE_URL)
    return responses.encode(made)


def _toolsets() -> list[tuple[str, list[dict[str, Any]]]]:
    ops = sorted(visible_operations(), key=lambda op: (op.toolset, op.route.path, op.route.method))
    return [(name, [_entry(op) for op in group]) for name, group in groupby(ops, key=lambda op: op.toolset)]


def _entry(op: Operation) -> dict[str, Any]:
    schema = schema_of(op.params)
    required = schema.get("required", ())
    return {
        "op": op,
        "scopes": ", ".join(sorted(op.scopes)),
        "parameters": [
            {
                "name": name,
                "form": form,
                "required": name in required,
                "description": schema["properties"][name].get("description", ""),
            }
            for name, form in forms(op.params).items()
        ],
    }
