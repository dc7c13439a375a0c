"""A small git repository with a known history: the playground of the demo and of the tests.

`shelf` keeps entities of declared types. Release v1.0.0 has two bugs. v1.1.0 fixed the search; storing an entity
still drops a declared field whose value is false. The same call always makes the same commits.
"""

from __future__ import annotations

import sys
from pathlib import Path

from triage.git import run_git

IDENTITY = {"user.name": "Sample Author", "user.email": "sample@example.org"}

_STORE = '''\
"""Keep entities of declared types."""

from shelf.types import DECLARED


class UnknownType(Exception):
    """The type was never declared."""


class Shelf:
    """Entities in memory, by id."""

    def __init__(self):
        self._entities = {}

    def store_entity(self, entity_id, entity_type, fields):
        """Keep the declared fields of one entity and return them."""
        if entity_type not in DECLARED:
            raise UnknownType(entity_type)
        kept = declared_fields(entity_type, fields)
        self._entities[entity_id] = {"type": entity_type, **kept}
        return kept

    def read_entity(self, entity_id):
        """The entity as it is kept."""
        return dict(self._entities[entity_id])


def declared_fields(entity_type, fields):
    """The part of `fields` that the type declares."""
    return {name: fields[name] for name in DECLARED[entity_type] if fields.get(name)}
'''

_TYPES = '''\
"""The declared types and their fields."""

DECLARED = {
    "book": ("title", "author", "lent_out", "copies"),
    "note": ("title", "text"),
}
'''

_SEARCH = '''\
"""Find entities by their title."""


def find_titles(entities, wanted):
    """Titles that hold `wanted`."""
    return [entity["title"] for entity in entities if wanted in entity["title"]]
'''

_SEARCH_FIXED = _SEARCH.replace('if wanted in entity["title"]', 'if wanted.casefold() in entity["title"].casefold()')

_TEST_STORE = """\
import unittest

from shelf.store import Shelf, UnknownType


class StoreTests(unittest.TestCase):
    def test_declared_fields_are_kept(self):
        kept = Shelf().store_entity("b1", "book", {"title": "Ants", "author": "Wilson"})
        self.assertEqual(kept, {"title": "Ants", "author": "Wilson"})

    def test_unknown_types_are_refused(self):
        with self.assertRaises(UnknownType):
            Shelf().store_entity("x", "planet", {})


if __name__ == "__main__":
    unittest.main()
"""

_TEST_SEARCH = """\
import unittest

from shelf.search import find_titles


class SearchTests(unittest.TestCase):
    def test_case_does_not_matter(self):
        self.assertEqual(find_titles([{"title": "Ants"}], "ants"), ["Ants"])
"""

_ARCHITECTURE = """\
# Architecture

`shelf/store.py` keeps entities, `shelf/types.py` declares them, `shelf/search.py` finds them.

* The shelf must not open network connections or send mail: it only keeps what it is given.
* Types must never be declared at run time.
"""

_README = """\
# Shelf

Declare a type in `shelf/types.py`, then call `Shelf().store_entity(id, type, fields)`. To find an entity by its
title call `find_titles(entities, wanted)`. Run the tests with `python -m unittest`.
"""

_CONTRIBUTING = "# Contributing\n\nEvery fix comes with a test. Never change a released migration.\n"
_MIGRATION = "CREATE TABLE entity (id TEXT PRIMARY KEY, type TEXT NOT NULL, fields TEXT NOT NULL);\n"

_FIRST = {
    "README.md": _README,
    "ARCHITECTURE.md": _ARCHITECTURE,
    "CONTRIBUTING.md": _CONTRIBUTING,
    "CHANGELOG.md": "# Changelog\n\n## 1.0.0\n* First release.\n",
    "migrations/0001_initial.sql": _MIGRATION,
    "shelf/__init__.py": '"""Shelf."""\n',
    "shelf/types.py": _TYPES,
    "shelf/store.py": _STORE,
    "shelf/search.py": _SEARCH,
    "tests/__init__.py": "",
    "tests/test_store.py": _TEST_STORE,
}
_SECOND = {
    "shelf/search.py": _SEARCH_FIXED,
    "tests/test_search.py": _TEST_SEARCH,
    "CHANGELOG.md": "# Changelog\n\n## 1.1.0\n* The search ignores case.\n\n## 1.0.0\n* First release.\n",
}
_LABELS = {
    "shelf/labels.py": '"""Labels of entities."""\n\n\ndef add_label(entity, label):\n    entity["labels"] = label\n'
}
_THIRD = {"shelf/types.py": _TYPES.replace('"note": ("title", "text")', '"note": ("title", "text", "pinned")')}


def make_sample_repository(path: Path) -> Path:
    """Build the repository at `path`, which must not exist or be empty, and return it.

    main: two releases (v1.0.0, v1.1.0) and one commit that no release holds; `feature/labels` left v1.1.0.
    """
    path.mkdir(parents=True, exist_ok=True)
    if any(path.iterdir()):
        raise FileExistsError(path)
    run_git(path, "init", "--quiet", "--template=", "--initial-branch=main")
    _commit(path, _FIRST, "Keep and find entities", day=1)
    _tag(path, "v1.0.0", day=1)
    _commit(path, _SECOND, "Fix find_titles, which missed titles in another case", day=2)
    _tag(path, "v1.1.0", day=2)
    run_git(path, "checkout", "--quiet", "-b", "feature/labels")
    _commit(path, _LABELS, "Label entities", day=3)
    run_git(path, "checkout", "--quiet", "main")
    _commit(path, _THIRD, "Declare pinned notes", day=4)
    return path


def _commit(path: Path, files: dict[str, str], message: str, day: int) -> None:
    for name, text in files.items():
        target = path / name
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text, encoding="utf-8")
    run_git(path, "add", "--", *files)
    run_git(path, "commit", "--quiet", "-m", message, config=IDENTITY, date=_date(day))


def _tag(path: Path, name: str, day: int) -> None:
    run_git(path, "tag", "-a", "-m", name, "--end-of-options", name, config=IDENTITY, date=_date(day))


def _date(day: int) -> str:
    return f"2024-03-{day:02d}T12:00:00+0000"


if __name__ == "__main__":
    print(make_sample_repository(Path(sys.argv[1])))
