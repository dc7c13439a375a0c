"""What Django warns of before a deploy is dealt with, and what an operator gets wrong is still said."""

from __future__ import annotations

import os
import re
import subprocess
import sys

import pytest

from tests.instance import ROOT


def warned(**environ: str) -> set[str]:
    """Ids of the warnings of `manage.py check --deploy`."""
    command = [sys.executable, "manage.py", "check", "--deploy"]
    done = subprocess.run(command, cwd=ROOT, env={**os.environ, **environ}, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return set(re.findall(r"security\.\w+", done.stderr))


@pytest.mark.parametrize(
    ("environ", "ids"),
    [
        ({"NEOTOMA_BASE_URL": "http://127.0.0.1:8000"}, set()),
        ({"NEOTOMA_BASE_URL": "https://neotoma.example"}, set()),
        ({"NEOTOMA_BASE_URL": "http://neotoma.example"}, {"security.W010"}),
        ({"NEOTOMA_BASE_URL": "https://neotoma.example", "NEOTOMA_DEBUG": "yes"}, {"security.W018"}),
        ({"NEOTOMA_BASE_URL": "https://neotoma.example", "NEOTOMA_SECRET_KEY": "short"}, {"security.W009"}),
    ],
)
def test_only_what_is_wrong_is_warned_of(environ: dict[str, str], ids: set[str]) -> None:
    assert warned(**environ) == ids
