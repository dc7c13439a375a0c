"""Run a command line in this process."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest

from neotoma.operations.cli.commands import run
from tests.support.toys import toys

Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def neotoma(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, db: None) -> Iterator[Run]:
    """`neotoma("verb", "--flag", "value")` answers exit code, standard output, standard error."""
    monkeypatch.delenv("NEOTOMA_TOKEN", raising=False)

    def command(*argv: str) -> tuple[int, str, str]:
        code = run(argv)
        out, err = capsys.readouterr()
        return code, out, err

    with toys():
        yield command
