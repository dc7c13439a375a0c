"""What compose.yaml promises."""

import re
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
import yaml

from neotoma.queues import QUEUES

ROOT = Path(__file__).resolve().parents[2]
KNOWN_KEYS = {
    *("build", "cap_drop", "command", "depends_on", "environment", "healthcheck", "image", "init", "networks", "ports"),
    *("read_only", "restart", "security_opt", "stop_grace_period", "tmpfs", "user", "volumes"),
}
STORES = ("db", "redis")
ONE_SHOT = "migrate"
INTERPOLATED = re.compile(r"\$(?:\$|\{[A-Z_]+:[-?][^{}]*\})")
"""What compose replaces: a dollar that is meant as one, or a variable with its default or its complaint."""


@pytest.fixture(scope="module")
def compose() -> dict[str, Any]:
    loaded: dict[str, Any] = yaml.safe_load((ROOT / "compose.yaml").read_text(encoding="utf-8"))
    return loaded


@pytest.fixture(scope="module")
def services(compose: dict[str, Any]) -> dict[str, dict[str, Any]]:
    found: dict[str, dict[str, Any]] = compose["services"]
    return found


def _queues(service: dict[str, Any]) -> list[str]:
    command = service.get("command", [])
    return str(command[command.index("--queues") + 1]).split(",") if "--queues" in command else []


def test_only_keys_that_compose_knows(compose: dict[str, Any], services: dict[str, dict[str, Any]]) -> None:
    assert {key for key in compose if not key.startswith("x-")} == {"name", "services", "networks", "volumes"}
    assert {key for service in services.values() for key in service} <= KNOWN_KEYS


def test_every_dollar_is_one_that_compose_reads() -> None:
    text = (ROOT / "compose.yaml").read_text(encoding="utf-8")
    assert [line for line in text.splitlines() if "$" in INTERPOLATED.sub("", line)] == []


def test_named_things_are_declared(compose: dict[str, Any], services: dict[str, dict[str, Any]]) -> None:
    used = {str(volume).partition(":")[0] for service in services.values() for volume in service.get("volumes", ())}
    assert {name for name in used if not name.startswith(".")} == set(compose["volumes"])
    assert {name for service in services.values() for name in service["networks"]} == set(compose["networks"])
    assert {name for service in services.values() for name in service.get("depends_on", ())} <= set(services)


def test_mounted_files_exist(services: dict[str, dict[str, Any]]) -> None:
    paths = [str(volume).partition(":")[0] for service in services.values() for volume in service.get("volumes", ())]
    files = [path for path in paths if path.startswith(".")]
    assert files
    assert [path for path in files if not (ROOT / path).is_file()] == []


def test_what_is_mounted_belongs_to_the_user_of_the_image(services: dict[str, dict[str, Any]]) -> None:
    image = (ROOT / "Dockerfile").read_text(encoding="utf-8")
    made = re.search(r"install -d -o neotoma -g neotoma -m 0700 (.+?) *(?:\\\\)?\n", image)
    assert made is not None
    mounts = {
        str(v).split(":")[1] for name, one in services.items() if name not in STORES for v in one.get("volumes", ())
    }
    assert mounts == set(made[1].split())


def test_each_queue_is_exactly_one_service(services: dict[str, dict[str, Any]]) -> None:
    served = {name: _queues(service) for name, service in services.items() if _queues(service)}
    assert served == {queue: [queue] for queue in QUEUES}


def test_one_beat(services: dict[str, dict[str, Any]]) -> None:
    assert [name for name, service in services.items() if "beat" in service.get("command", ())] == ["beat"]


@pytest.mark.parametrize("store", STORES)
def test_stores_are_reached_from_inside_only(
    compose: dict[str, Any], services: dict[str, dict[str, Any]], store: str
) -> None:
    assert "ports" not in services[store]
    assert [compose["networks"][name]["internal"] for name in services[store]["networks"]] == [True]


def test_the_web_server_is_published_to_this_machine_by_default(services: dict[str, dict[str, Any]]) -> None:
    assert services["web"]["ports"] == ["${NEOTOMA_PUBLISH:-127.0.0.1:8000}:8000"]
    assert [name for name, service in services.items() if "ports" in service] == ["web"]


def test_nobody_is_root_and_nobody_can_become_it(services: dict[str, dict[str, Any]]) -> None:
    for name, service in services.items():
        assert str(service["user"]).partition(":")[0] not in {"", "0", "root"}, name
        assert "no-new-privileges:true" in service["security_opt"], name
        assert service["cap_drop"] == ["ALL"], name
        assert service["read_only"] is True, name


def test_everything_that_stays_up_is_watched(services: dict[str, dict[str, Any]]) -> None:
    lasting = {name: service for name, service in services.items() if name != ONE_SHOT}
    assert [name for name, service in lasting.items() if not service["healthcheck"].get("test")] == []
    assert [name for name, service in lasting.items() if not service.get("stop_grace_period")] == []
    assert {service["restart"] for service in lasting.values()} == {"unless-stopped"}


def test_the_database_is_ready_only_once_its_roles_are_made(services: dict[str, dict[str, Any]]) -> None:
    test = services["db"]["healthcheck"]["test"]
    assert test[test.index("--host") + 1] == "127.0.0.1"


def test_processes_of_the_web_server_count_together(services: dict[str, dict[str, Any]]) -> None:
    folders = {name: one.get("environment", {}).get("PROMETHEUS_MULTIPROC_DIR") for name, one in services.items()}
    [folder] = services["web"]["tmpfs"]
    assert {name: where for name, where in folders.items() if where} == {"web": folder}


def test_the_application_does_not_own_its_tables(services: dict[str, dict[str, Any]]) -> None:
    role = {
        name: urlsplit(service["environment"]["DATABASE_URL"]).netloc.partition(":")[0]
        for name, service in services.items()
        if name not in STORES
    }
    assert role.pop(ONE_SHOT) == "neotoma_owner"
    assert set(role.values()) == {"neotoma_app"}
    waits = [name for name in role if services[name]["depends_on"][ONE_SHOT] != {"condition": _COMPLETED}]
    assert waits == []


_COMPLETED = "service_completed_successfully"


def test_redis_keeps_what_it_was_given_and_never_drops_it(services: dict[str, dict[str, Any]]) -> None:
    command = services["redis"]["command"]
    assert command[command.index("--appendonly") + 1] == "yes"
    assert command[command.index("--maxmemory-policy") + 1] == "noeviction"


def test_prefork_workers_hand_back_and_threads_do_not_grow(services: dict[str, dict[str, Any]]) -> None:
    for queue in QUEUES:
        command = services[queue]["command"]
        prefork = command[command.index("--pool") + 1] == "prefork"
        assert prefork == (queue != "webhooks")
        assert ("--autoscale" in command) == prefork
        assert (services[queue]["environment"].get("REMAP_SIGTERM") == "SIGQUIT") == prefork


def test_no_secret_has_a_default(services: dict[str, dict[str, Any]]) -> None:
    values = [
        str(value)
        for service in services.values()
        for key, value in service.get("environment", {}).items()
        if key.endswith(("PASSWORD", "SECRET_KEY", "DATABASE_URL"))
    ]
    assert values
    assert [value for value in values if ":?" not in value] == []
