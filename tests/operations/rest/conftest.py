"""The REST surface over toy operations, and callers to send to it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any

import pytest
from django.test import Client, override_settings
from django.urls import include, path

from neotoma.access import bootstrap
from neotoma.access.models import Agent
from neotoma.operations.rest.routes import urlpatterns
from tests.support.toys import toys


@cache
def client() -> Client:
    """One for all tests: it keeps the middlewares, and no caller has a cookie."""
    return Client(raise_request_exception=False)


@dataclass(frozen=True)
class Api:
    """One caller. `token` None sends no header."""

    token: str | None = None

    def send(self, method: str, where: str, body: Any = None, **headers: str) -> Any:
        """`body` is sent as JSON; header names use underscores."""
        if self.token:
            headers.setdefault("Authorization", f"Bearer {self.token}")
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        data = body if isinstance(body, bytes) else b"" if body is None else json.dumps(body).encode()
        return client().generic(method, f"/api/{where}", data, "application/json", headers=named)


@pytest.fixture
def mounted() -> Iterator[None]:
    with toys(), override_settings(ROOT_URLCONF=(path("api/", include(urlpatterns())),)):
        yield


@pytest.fixture
def anyone(mounted: None, db: None) -> Api:
    return Api()


@pytest.fixture
def agent(mounted: None, db: None) -> Api:
    token = bootstrap.mint(agent=Agent.objects.create(name="ant"), scopes=["read", "write"])
    return Api(token)
