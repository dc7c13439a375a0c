"""Which broker an instance uses."""

from pathlib import Path

import pytest

from neotoma.supervisor.broker import SOCKET_PATH_LIMIT, choose_broker, private_folder, socket_folder

DATA = Path("/srv/neotoma")


@pytest.mark.parametrize(
    ("environ", "on_path", "bundled", "url", "starts"),
    [
        ({"CELERY_BROKER_URL": "amqp://a", "REDIS_URL": "redis://b"}, "/bin/r", "/wheel/r", "amqp://a", ""),
        ({"REDIS_URL": "redis://b"}, "/bin/r", "/wheel/r", "redis://b", ""),
        ({}, "/bin/r", "/wheel/r", "redis+socket:///srv/neotoma/broker/redis.sock", "/bin/r"),
        ({"REDIS_URL": ""}, None, "/wheel/r", "redis+socket:///srv/neotoma/broker/redis.sock", "/wheel/r"),
        ({}, None, None, "filesystem://localhost//", ""),
        ({"CELERY_BROKER_URL": "filesystem://"}, "/bin/r", "/wheel/r", "filesystem://localhost//", ""),
    ],
)
def test_the_first_that_exists_is_used(
    environ: dict[str, str], on_path: str | None, bundled: str | None, url: str, starts: str
) -> None:
    broker = choose_broker(environ, DATA, on_path, bundled)
    assert broker.url == url
    assert (broker.command[0] if broker.command else "") == starts


def test_a_given_url_is_never_printed_with_its_password() -> None:
    broker = choose_broker({"REDIS_URL": "redis://:pa55word@host:6379/0"}, DATA, None, None)
    assert "pa55word" not in broker.summary


def test_redis_listens_on_no_port_and_keeps_what_it_was_given() -> None:
    command = " ".join(choose_broker({}, DATA, "/bin/redis-server", None).command)
    assert "--port 0" in command
    assert "--appendonly yes" in command
    assert "--unixsocketperm 700" in command


def test_a_deep_folder_gets_a_short_socket_path() -> None:
    deep = Path("/", *["deep-folder"] * 12)
    folder = socket_folder(deep)
    assert len(str(folder / "redis.sock")) <= SOCKET_PATH_LIMIT
    assert folder == socket_folder(deep)
    assert folder != socket_folder(deep / "other")


def test_a_private_folder_is_closed_to_others(tmp_path: Path) -> None:
    folder = tmp_path / "broker"
    folder.mkdir(mode=0o755)
    private_folder(folder)
    assert folder.stat().st_mode & 0o777 == 0o700


def test_a_link_is_no_private_folder(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "real")
    with pytest.raises(PermissionError):
        private_folder(tmp_path / "link")
