"""From a credential to a principal. A request that presents any credential is never treated as having none."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from datetime import datetime
from functools import partial
from typing import ClassVar

from django.conf import settings
from django.contrib.auth import get_user_model
from django.contrib.auth.models import AbstractBaseUser
from django.db.models import QuerySet
from django.utils import timezone

from neotoma.access import tokens
from neotoma.access.models import Agent, ApiToken, EntityGroupPermission, EntityUserPermission, GuestToken
from neotoma.access.principals import ANONYMOUS, Principal, audience_of, daemon, expand
from neotoma.substrate.actors import Actor, Audience, AuthorKind
from neotoma.substrate.errors import Refusal
from neotoma.substrate.prepared import prepared


class Unauthenticated(Refusal):
    """A credential that does not count. Subclasses carry the reason as their code; all are 401."""

    error_code: ClassVar[str] = "TOKEN_INVALID"
    status = 401
    hint = "Send `Authorization: Bearer <token>` with a token of this instance, or none at all."


class TokenExpired(Unauthenticated):
    error_code = "TOKEN_EXPIRED"
    hint = "Ask the operator for a new token."


class TokenRevoked(Unauthenticated):
    error_code = "TOKEN_REVOKED"
    hint = "Ask the operator for a new token."


class GuestTokenInvalid(Unauthenticated):
    error_code = "GUEST_TOKEN_INVALID"
    hint = "Use the guest_access_token that the submission answered, whole and unchanged."


class GuestTokenExpired(Unauthenticated):
    error_code = "GUEST_TOKEN_EXPIRED"
    hint = "The grant has ended; submit again, or ask the maintainers."


class GuestTokenRevoked(Unauthenticated):
    error_code = "GUEST_TOKEN_REVOKED"
    hint = "The grant was withdrawn by the maintainers."


def from_header(authorization: str | None) -> Principal:
    """The principal of an `Authorization` header; anonymous only when there is no header at all."""
    if authorization is None:
        return ANONYMOUS
    scheme, _, token = authorization.partition(" ")
    if scheme.lower() != "bearer" or not token or token != token.strip():
        raise Unauthenticated("The Authorization header is not `Bearer <token>`.")
    return from_guest_token(token) if token.startswith(tokens.GUEST_PREFIX) else from_api_token(token)


def from_api_token(token: str) -> Principal:
    rows = _api_tokens(tokens.digest(token))
    if not rows:
        raise Unauthenticated("This token is not known here.")
    return _of_token(rows[0])


@prepared
def _api_tokens(digest: str) -> QuerySet[ApiToken]:
    return ApiToken.objects.select_related("agent", "user").filter(digest=digest)


def from_credential(credential: str) -> Principal:
    """The principal that a credential's name stands for now; refuses when it has ended."""
    kind, _, name = credential.partition(":")
    if kind == "daemon":
        return daemon(name)
    if kind == "guest" and (grant := GuestToken.objects.with_thread().filter(pk=int(name)).first()):
        return _of_grant(grant)
    if kind == "token" and (row := ApiToken.objects.select_related("agent", "user").filter(pk=int(name)).first()):
        return _of_token(row)
    if kind == "user" and (user := get_user_model().objects.filter(pk=int(name)).first()):
        return from_user(user)
    raise Unauthenticated("This credential is gone.")


def from_credentials(credentials: Iterable[str]) -> dict[str, Principal]:
    """As `from_credential` for many, without those that have ended; as many queries for fifty tokens as for one."""
    ids: dict[str, set[str]] = {}
    for kind, _, name in (credential.partition(":") for credential in credentials):
        ids.setdefault(kind, set()).add(name)
    grants = GuestToken.objects.with_thread().filter(pk__in=ids.get("guest", ()))
    rows = ApiToken.objects.select_related("agent", "user").filter(pk__in=ids.get("token", ()))
    users = get_user_model().objects.filter(pk__in=ids.get("user", ()))
    found = {f"daemon:{name}": daemon(name) for name in ids.get("daemon", ())}
    for resolve in (*(partial(_of_grant, grant) for grant in grants), *(partial(_of_token, row) for row in rows)):
        with suppress(Unauthenticated):
            principal = resolve()
            found[principal.credential] = principal
    for user in users:
        with suppress(Unauthenticated):
            found[f"user:{user.pk}"] = from_user(user)
    return found


def _of_token(row: ApiToken) -> Principal:
    now = timezone.now()
    if row.revoked_at is not None:
        raise TokenRevoked("This token was revoked.")
    if row.expires_at is not None and row.expires_at <= now:
        raise TokenExpired("This token has expired.")
    if row.user is not None:
        return from_user(row.user, limit=row.scopes or None, credential=f"token:{row.pk}")
    if row.agent is None or not row.agent.active:
        raise TokenRevoked("The agent of this token is switched off.")
    return _agent(row.agent, row.scopes, f"token:{row.pk}")


def from_guest_token(token: str) -> Principal:
    """A guest sees exactly its thread."""
    grants = _guest_tokens(tokens.digest(token))
    if not grants:
        raise GuestTokenInvalid("This guest token is not known here.")
    return _of_grant(grants[0])


@prepared
def _guest_tokens(digest: str) -> QuerySet[GuestToken]:
    return GuestToken.objects.with_thread().filter(digest=digest)


def _of_grant(grant: GuestToken) -> Principal:
    _refuse_ended(grant, timezone.now())
    actor = Actor(grant.issued_to if grant.issued_to != "anonymous" else f"guest:{grant.pk}", "reporter", "reporter")
    # A thread that was merged into another one opens that one too.
    threads = frozenset({grant.thread_id, grant.thread.merged_root_id or grant.thread_id})
    credential = f"guest:{grant.pk}"
    return Principal(
        actor, frozenset({"guest"}), Audience(threads=threads), credential=credential, thread=grant.thread_id
    )


def from_user(user: AbstractBaseUser, limit: list[str] | None = None, credential: str = "") -> Principal:
    """A staff user, with what their groups allow; `limit` is a token's narrower list of scopes."""
    if not user.is_active or not getattr(user, "is_staff", False):
        raise TokenRevoked("The user of this token is not active staff.")
    roots = _reviewed_by(user)
    granted = _user_scopes(user, roots)
    scopes = granted if limit is None else granted & expand(limit)
    key = f"user:{user.pk}"
    actor = Actor(key, "maintainer", user.get_username())
    audience = audience_of(scopes, key, roots if "review" in scopes else frozenset())
    return Principal(actor, scopes, audience, staff=True, credential=credential or key)


def server_key() -> str:
    return str(settings.SECRET_KEY)


def _agent(agent: Agent, scopes: list[str], credential: str) -> Principal:
    expanded = expand(scopes)
    author: AuthorKind = "maintainer" if "maintain" in expanded else "daemon" if agent.kind == "daemon" else "agent"
    if expanded <= {"report"}:
        author = "reporter"
    key = f"agent:{agent.pk}"
    return Principal(Actor(key, author, agent.name), expanded, audience_of(expanded, key), credential=credential)


def _user_scopes(user: AbstractBaseUser, roots: frozenset[str]) -> frozenset[str]:
    if getattr(user, "is_superuser", False):
        return expand({"operate"})
    if user.has_perm("access.maintain"):  # type: ignore[attr-defined]  # every user model here has PermissionsMixin
        return expand({"maintain"})
    return frozenset({"review"}) if roots else frozenset()


def _reviewed_by(user: AbstractBaseUser) -> frozenset[str]:
    if getattr(user, "is_superuser", False):
        return frozenset()
    own = EntityUserPermission.objects.filter(user=user, permission__codename="review")
    through = EntityGroupPermission.objects.filter(group__user=user, permission__codename="review")
    ids = own.values_list("content_object_id", flat=True).union(through.values_list("content_object_id", flat=True))
    return frozenset(ids)


def _refuse_ended(grant: GuestToken, now: datetime) -> None:
    if grant.revoked_at is not None:
        raise GuestTokenRevoked("This guest token was revoked.")
    if grant.expires_at <= now:
        raise GuestTokenExpired("This guest token has expired.")
