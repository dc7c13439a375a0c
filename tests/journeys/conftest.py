"""One instance for all journeys of a process, with everyone who calls in."""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest

from examples.instance import Instance
from examples.mcp_agent import Agent, connected
from neotoma.operations.client import Client
from tests.instance import running_instance


@pytest.fixture(scope="session")
def instance(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Instance]:
    """On its embedded parts, or on the servers that DATABASE_URL and REDIS_URL name."""
    folder = tmp_path_factory.mktemp("journeys")
    with running_instance(folder, os.environ.get("DATABASE_URL"), os.environ.get("REDIS_URL")) as running:
        yield running


@pytest.fixture(scope="session")
def operator(instance: Instance) -> Client:
    """A person of the instance, over REST."""
    return Client(instance.base_url, instance.operator_token)


@pytest.fixture(scope="session")
def reporter(instance: Instance) -> Iterator[Agent]:
    """A reporting agent over MCP."""
    with connected(instance.mcp_url, instance.reporter_token) as agent:
        yield agent


@pytest.fixture(scope="session")
def stranger(instance: Instance) -> Iterator[Agent]:
    """Another agent over MCP, that may report and read."""
    with connected(instance.mcp_url, instance.mint("stranger", "report", "read")) as agent:
        yield agent


@pytest.fixture(scope="session")
def nobody(instance: Instance) -> Iterator[Agent]:
    """An agent over MCP that presents no credential of its own."""
    with connected(instance.mcp_url) as agent:
        yield agent
