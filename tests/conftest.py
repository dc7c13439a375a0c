"""Fixtures that every test may use."""

import os
from collections.abc import Iterator

import pytest

from neotoma.celery import app, use_broker


@pytest.fixture(scope="session", autouse=True)
def _messages_stay_here() -> Iterator[None]:
    """Tests in this process publish into memory; those that need real workers start an instance."""
    os.environ.pop("CELERY_BROKER_URL", None)  # Celery lets it win over what a program sets
    use_broker(app, "memory://")
    yield
