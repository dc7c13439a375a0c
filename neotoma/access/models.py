"""Principals and their credentials: digests only, never a token."""

from __future__ import annotations

from typing import Self

from django.conf import settings
from django.contrib.auth.models import AbstractBaseUser
from django.db import models
from django.db.models import Q
from django.db.models.functions import Now
from guardian.models import GroupObjectPermissionBase, UserObjectPermissionBase

from neotoma.substrate.models import Entity


class Agent(models.Model):
    """A program that calls in with its own tokens, e.g. a reporter's installation or a daemon."""

    name = models.CharField(max_length=120, unique=True)
    kind = models.CharField(max_length=12, default="agent")
    active = models.BooleanField(default=True)
    created_at = models.DateTimeField(db_default=Now())

    class Meta:
        permissions = [("maintain", "Can maintain: lifecycle, visibility, plans of every daemon")]

    def __str__(self) -> str:
        return self.name


class ApiToken(models.Model):
    """A credential of exactly one agent or one staff user. `scopes` is a list of scope words."""

    agent = models.ForeignKey(Agent, null=True, blank=True, on_delete=models.CASCADE, related_name="tokens")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.CASCADE)
    digest = models.CharField(max_length=64, unique=True, editable=False)
    hint = models.CharField(max_length=12, editable=False, help_text="First characters, to tell tokens apart.")
    scopes = models.JSONField(default=list)
    expires_at = models.DateTimeField(null=True, blank=True)
    revoked_at = models.DateTimeField(null=True, blank=True)
    created_at = models.DateTimeField(db_default=Now())

    class Meta:
        verbose_name = "API token"
        constraints = [
            models.CheckConstraint(
                condition=Q(agent__isnull=False, user__isnull=True) | Q(agent__isnull=True, user__isnull=False),
                name="api_token_one_owner",
            )
        ]

    def __str__(self) -> str:
        owner: Agent | AbstractBaseUser | None = self.agent or self.user
        return f"{self.hint}… of {owner}"


class GuestTokenQuerySet(models.QuerySet["GuestToken"]):
    def with_thread(self) -> Self:
        """With what the thread reads as now, and nothing else of it: a submission may be long."""
        own = [field.name for field in GuestToken._meta.concrete_fields]
        return self.select_related("thread").only(*own, "thread__merged_root")


class GuestToken(models.Model):
    """A grant on one thread. The token is HMAC(server key, nonce): it can be made again, so it is never stored."""

    nonce = models.CharField(max_length=32, unique=True, editable=False)
    digest = models.CharField(max_length=64, unique=True, editable=False)
    thread = models.ForeignKey(Entity, on_delete=models.CASCADE, related_name="guest_tokens")
    issued_to = models.CharField(max_length=80)
    expires_at = models.DateTimeField()
    revoked_at = models.DateTimeField(null=True, blank=True)
    created_at = models.DateTimeField(db_default=Now())

    objects = GuestTokenQuerySet.as_manager()

    class Meta:
        indexes = [models.Index(fields=["thread"], name="guest_token_thread")]


class RateWindow(models.Model):
    """How often a key was used in one window of time."""

    key = models.CharField(max_length=120)
    window = models.BigIntegerField()
    count = models.PositiveIntegerField(default=0)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["key", "window"], name="rate_window_once")]


class EntityUserPermission(UserObjectPermissionBase):
    """`review` on a daemon's entity for one user; a direct foreign key, so look-ups use an index."""

    content_object = models.ForeignKey(Entity, on_delete=models.CASCADE)


class EntityGroupPermission(GroupObjectPermissionBase):
    """`review` on a daemon's entity for a group."""

    content_object = models.ForeignKey(Entity, on_delete=models.CASCADE)
