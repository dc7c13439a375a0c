"""Where everything is mounted: the one module that knows the surfaces."""

from django.contrib import admin
from django.urls import include, path
from django.views.generic import TemplateView

from neotoma.health import healthz, metrics, readyz
from neotoma.operations.challenge import METADATA_PATH
from neotoma.operations.mcp.view import mcp_view
from neotoma.operations.rest.discovery import protected_resource
from neotoma.operations.rest.routes import urlpatterns as rest_patterns

urlpatterns = [
    path("", TemplateView.as_view(template_name="home.html"), name="home"),
    path("healthz", healthz, name="healthz"),
    path("readyz", readyz, name="readyz"),
    path("metrics", metrics, name="metrics"),
    path(METADATA_PATH[1:], protected_resource, name="protected-resource"),
    path(f"{METADATA_PATH[1:]}/mcp", protected_resource, {"resource": "/mcp"}, name="protected-resource-mcp"),
    path("mcp", mcp_view, name="mcp"),
    path("mcp/readonly", mcp_view, name="mcp-readonly"),
    path("mcp/x/<str:toolsets>", mcp_view, name="mcp-toolsets"),
    path("api/", include(rest_patterns())),
    path("admin/", admin.site.urls),
]
