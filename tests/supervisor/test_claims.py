"""An instance has its folder and its port to itself."""

import socket
from pathlib import Path

import pytest

from neotoma.supervisor.claims import Taken, check_port, data_folder


def test_a_folder_is_held_once(tmp_path: Path) -> None:
    with data_folder(tmp_path), pytest.raises(Taken, match="NEOTOMA_DATA"), data_folder(tmp_path):
        pytest.fail("two instances held one folder")


def test_a_folder_is_free_again_afterwards(tmp_path: Path) -> None:
    with data_folder(tmp_path / "new"):
        pass
    with data_folder(tmp_path / "new"):
        assert (tmp_path / "new" / "up.lock").exists()


def test_a_taken_port_is_named() -> None:
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        port = other.getsockname()[1]
        with pytest.raises(Taken, match=f"port {port} .* is taken; set NEOTOMA_PORT"):
            check_port("127.0.0.1", port)


def test_a_free_port_passes() -> None:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    assert check_port("127.0.0.1", port) is None  # type: ignore[func-returns-value]
