"""The `WWW-Authenticate` header of a 401 or 403, the same on every surface. Pure."""

from __future__ import annotations

from neotoma.access.authenticate import Unauthenticated
from neotoma.access.policy import ScopeMissing
from neotoma.substrate.errors import Refusal

METADATA_PATH = "/.well-known/oauth-protected-resource"


def challenge(refusal: Refusal, base_url: str, resource: str = "") -> str:
    """What is wrong with the credential if there was one, and where to read how to get another.

    `resource` is the path of the surface whose metadata is meant, e.g. `/mcp`.
    """
    parts = [f'resource_metadata="{base_url}{METADATA_PATH}{resource}"']
    if isinstance(refusal, Unauthenticated):
        parts += ['error="invalid_token"', f'error_description="{_quotable(refusal)}"']
    if isinstance(refusal, ScopeMissing):
        parts += ['error="insufficient_scope"', f'scope="{" ".join(refusal.details.get("any_of", ()))}"']
    return "Bearer " + ", ".join(parts)


def _quotable(refusal: Refusal) -> str:
    return f"{refusal.error_code}: {refusal.message}".replace("\\", "").replace('"', "'")
