from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from pytest_django import Settings

from examples.sample_repository import make_sample_repository


@pytest.fixture(scope="session")
def pristine(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The sample repository, to look at only."""
    return make_sample_repository(tmp_path_factory.mktemp("pristine") / "sample")


@pytest.fixture
def sample(pristine: Path, tmp_path: Path) -> Path:
    """A copy of the sample repository, to change."""
    return Path(shutil.copytree(pristine, tmp_path / "sample", symlinks=True))


@pytest.fixture(autouse=True)
def worktrees(settings: Settings, tmp_path: Path) -> Path:
    """Where runs of this test make their worktrees; nothing is there yet."""
    settings.NEOTOMA_WORKTREES = tmp_path / "worktrees"
    return tmp_path / "worktrees"
