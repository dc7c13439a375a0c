from __future__ import annotations

from pathlib import Path

from examples.demo.planted import files, plant
from neotoma.redaction import redact_text


def test_the_guard_knows_both() -> None:
    planted = plant()
    clean = redact_text(f"TOKEN={planted.token} {planted.email}")
    assert clean == "TOKEN=[redacted:github_token] [redacted:email]"


def test_each_demo_plants_others() -> None:
    first, second = plant(), plant()
    assert first.token != second.token
    assert first.email != second.email


def test_a_leak_is_found_wherever_it_lies(tmp_path: Path) -> None:
    planted = plant()
    (tmp_path / "deep").mkdir()
    (tmp_path / "deep" / "log").write_bytes(b"\0..." + planted.token.encode() + b"...")
    (tmp_path / "database").write_bytes(b"to " + planted.email.encode())
    (tmp_path / "other").write_bytes(planted.token[:-1].encode())
    assert planted.leaks(files(tmp_path)) == ["database", "deep/log"]
