"""Where a refused caller reads which credentials count: OAuth 2.0 Protected Resource Metadata (RFC 9728)."""

from __future__ import annotations

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.views.decorators.http import require_safe

from neotoma.access.principals import SCOPES
from neotoma.operations.rest.responses import JSON, encode


@require_safe
def protected_resource(request: HttpRequest, resource: str = "") -> HttpResponse:
    """For everybody, whatever they present. `resource`: path of the surface meant, e.g. `/mcp`.

    It names no authorization server: the operator mints tokens, and there is none to ask for one.
    """
    described = {
        "resource": f"{settings.NEOTOMA_BASE_URL}{resource}",
        "resource_name": "Neotoma",
        "resource_documentation": f"{settings.NEOTOMA_BASE_URL}/api/docs",
        "bearer_methods_supported": ["header"],
        "scopes_supported": list(SCOPES),
    }
    return HttpResponse(encode(described), content_type=JSON, headers={"Cache-Control": "max-age=3600"})
