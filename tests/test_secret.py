"""The instance's key."""

import stat
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from neotoma.secret import secret_key


def test_a_given_key_leaves_no_file(tmp_path: Path) -> None:
    assert secret_key("given", tmp_path) == "given"
    assert list(tmp_path.iterdir()) == []


def test_a_made_key_is_kept_for_its_owner_only(tmp_path: Path) -> None:
    data = tmp_path / "deep" / "data"
    first = secret_key("", data)
    assert len(first) >= 50
    assert secret_key("", data) == first
    assert stat.S_IMODE((data / "secret.key").stat().st_mode) == 0o600
    assert [path.name for path in data.iterdir()] == ["secret.key"]


def test_first_starts_at_the_same_time_agree(tmp_path: Path) -> None:
    with ThreadPoolExecutor(16) as pool:
        keys = set(pool.map(lambda _: secret_key("", tmp_path), range(64)))
    assert len(keys) == 1
