"""A database of their own for tests that commit, in this process and in others."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from pytest_django import DjangoDbBlocker

from tests.support.databases import connected_to, migrated_copy


@pytest.fixture
def db(django_db_setup: None, django_db_blocker: DjangoDbBlocker) -> Iterator[None]:
    """The migrated test database, in this folder without a transaction around the test: it is only copied."""
    with django_db_blocker.unblock():
        yield


@pytest.fixture
def database_url(db: None, tmp_path: Path) -> Iterator[str]:
    """URL of an empty, migrated database that the test has to itself."""
    with migrated_copy(tmp_path) as url:
        yield url


@pytest.fixture
def committed(database_url: str) -> Iterator[str]:
    """The same, and this process's ORM works on it; what a test commits is seen by every thread and process."""
    with connected_to(database_url):
        yield database_url
