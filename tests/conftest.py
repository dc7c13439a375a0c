"""Fixtures that every test may use."""

import os
from collections.abc import Iterator

import pytest
from hypothesis import HealthCheck
from hypothesis import settings as hypothesis_settings

from neotoma.celery import app, use_broker

# No deadline: how long an example takes says more of the machine than of the code. The short run is the same each
# time, so that it judges the change at hand; the long one of `make prove` looks for what nobody thought of.
for name, examples in {"default": 50, "prove": 5_000}.items():
    hypothesis_settings.register_profile(
        name,
        max_examples=examples,
        deadline=None,
        derandomize=name == "default",
        suppress_health_check=[HealthCheck.too_slow],
    )
hypothesis_settings.load_profile(os.environ.get("NEOTOMA_HYPOTHESIS", "default"))


@pytest.fixture(scope="session", autouse=True)
def _messages_stay_here() -> Iterator[None]:
    """Tests in this process publish into memory; those that need real workers start an instance."""
    os.environ.pop("CELERY_BROKER_URL", None)  # Celery lets it win over what a program sets
    use_broker(app, "memory://")
    yield


@pytest.fixture(autouse=True)
def _this_app_publishes() -> None:
    """An app that a test makes becomes the thread's current one; the next test starts from ours again."""
    app.set_current()
