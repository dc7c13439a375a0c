"""Fixtures that every test may use."""

from collections.abc import Iterator

import pytest

from neotoma.celery import app, use_broker


@pytest.fixture(scope="session", autouse=True)
def _messages_stay_here() -> Iterator[None]:
    """Tests in this process publish into memory; those that need real workers start an instance."""
    use_broker(app, "memory://")
    yield
