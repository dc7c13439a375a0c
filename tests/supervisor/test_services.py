"""The processes of an instance."""

from pathlib import Path

import pytest

from neotoma.lifeline import SUPERVISED
from neotoma.queues import QUEUES
from neotoma.supervisor.broker import Broker
from neotoma.supervisor.services import Service, Sizes, broker_service, services, shared_environ

SIZES = Sizes(web_workers=1, web_threads=2, worker_slots=4, webhook_threads=32, runner_slots=3)


REDIS = Broker("redis://host", (), "given")


def _made(broker: Broker) -> dict[str, Service]:
    return {service.name: service for service in services("127.0.0.1", 8000, Path("/data"), SIZES, broker)}


@pytest.fixture
def made() -> dict[str, Service]:
    return _made(REDIS)


def _after(service: Service, option: str) -> str:
    return service.command[service.command.index(option) + 1]


def test_every_queue_has_exactly_one_worker(made: dict[str, Service]) -> None:
    served = [_after(service, "--queues") for service in made.values() if "--queues" in service.command]
    assert sorted(",".join(served).split(",")) == sorted(QUEUES)


def test_webhooks_use_threads_and_never_autoscale(made: dict[str, Service]) -> None:
    assert _after(made["webhooks"], "--pool") == "threads"
    assert _after(made["webhooks"], "--concurrency") == "32"
    assert "--autoscale" not in made["webhooks"].command


@pytest.mark.parametrize(("name", "range_"), [("worker", "4,2"), ("runner", "3,1")])
def test_prefork_workers_grow_and_hand_back_what_they_were_doing(
    made: dict[str, Service], name: str, range_: str
) -> None:
    assert _after(made[name], "--autoscale") == range_
    assert made[name].environ == {"REMAP_SIGTERM": "SIGQUIT"}


def test_on_files_a_pool_keeps_its_size() -> None:
    made = _made(Broker("filesystem://", (), "files"))
    assert "--autoscale" not in made["worker"].command
    assert _after(made["worker"], "--concurrency") == "2"


def test_one_beat_and_one_web_server(made: dict[str, Service]) -> None:
    assert sorted(made) == ["beat", "runner", "web", "webhooks", "worker"]
    assert _after(made["web"], "--interface") == "wsgi"


def test_a_broker_that_runs_already_is_not_started() -> None:
    assert broker_service(Broker("redis://host", (), "given")) == []
    assert broker_service(Broker("x", ("redis-server",), "own"))[0].command == ("redis-server",)


def test_children_learn_what_the_supervisor_decided() -> None:
    environ = shared_environ(
        {"PATH": "/bin"}, Broker("redis://x", (), ""), Path("/data"), "https://neotoma.example", 8001
    )
    assert environ["PATH"] == "/bin"
    assert environ["CELERY_BROKER_URL"] == "redis://x"
    assert (environ["NEOTOMA_PORT"], environ["NEOTOMA_BASE_URL"]) == ("8001", "https://neotoma.example")
    assert SUPERVISED in environ
