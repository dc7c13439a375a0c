"""May this principal call that operation: pure."""

from __future__ import annotations

from collections.abc import Collection
from typing import ClassVar

from neotoma.access.principals import Principal
from neotoma.substrate.errors import Refusal


class AuthenticationRequired(Refusal):
    """No credential was presented and the operation needs one."""

    error_code: ClassVar[str] = "AUTH_REQUIRED"
    status = 401
    hint = "Send `Authorization: Bearer <token>`; the operator mints tokens in the admin or with the CLI."


class ScopeMissing(Refusal):
    """The credential counts but does not reach; `details.any_of` names all scopes that would."""

    error_code: ClassVar[str] = "INSUFFICIENT_SCOPE"
    status = 403
    hint = "Ask the operator for a token with one of the scopes named."


class StaffOnly(Refusal):
    """High-risk operations are for people of the instance."""

    error_code: ClassVar[str] = "STAFF_ONLY"
    status = 403
    hint = "A staff user does this in the admin, or with a token of their own."


def check(principal: Principal, *, any_of: Collection[str], risk: str) -> None:
    """Refuses a call that the principal may not make."""
    if not principal.scopes & set(any_of):
        details = {"any_of": sorted(set(any_of) - {"guest", "anonymous"}), "role": principal.role}
        if principal.role == "anonymous" and not principal.staff:
            raise AuthenticationRequired("This operation needs a token.", details=details)
        raise ScopeMissing(f"A {principal.role} may not do this.", details=details)
    if risk == "high" and not principal.staff:
        raise StaffOnly("This cannot be undone or crosses a boundary, so a person of the instance does it.")
