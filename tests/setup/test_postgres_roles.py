"""The application's role can use the tables and change none of them."""

import os
import re
import secrets
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit, urlunsplit

import psycopg
import pytest
from psycopg import errors, sql

from tests.instance import own_database

ROOT = Path(__file__).resolve().parents[2]
SERVER = os.environ.get("DATABASE_URL", "")

pytestmark = [
    pytest.mark.postgres,
    pytest.mark.skipif(not SERVER.startswith("postgres"), reason="DATABASE_URL names no PostgreSQL server"),
]


def _as(url: str, role: str) -> str:
    parts = urlsplit(url)
    return urlunsplit(parts._replace(netloc=f"{role}@{parts.netloc.rpartition('@')[2]}"))


@pytest.fixture(scope="module")
def app_url() -> Iterator[str]:
    """A database that the owner migrated, as the application's role reaches it."""
    tag = secrets.token_hex(4)
    owner, app = f"neotoma_owner_{tag}", f"neotoma_app_{tag}"
    with psycopg.connect(SERVER, autocommit=True) as admin:
        for role in (owner, app):
            admin.execute(sql.SQL("CREATE ROLE {} LOGIN").format(sql.Identifier(role)))
    try:
        with own_database(SERVER) as url:
            _prepare(url, owner, app)
            yield _as(url, app)
    finally:
        with psycopg.connect(SERVER, autocommit=True) as admin:
            for role in (app, owner):
                admin.execute(sql.SQL("DROP ROLE {}").format(sql.Identifier(role)))


def _prepare(url: str, owner: str, app: str) -> None:
    statements = (ROOT / "deploy" / "roles.sql").read_text(encoding="utf-8")
    names = {"owner": owner, "app": app}
    with psycopg.connect(url, autocommit=True) as admin:
        admin.execute(re.sub(r':"(\w+)"', lambda match: f'"{names[match[1]]}"', statements).encode())
    subprocess.run(
        [sys.executable, "manage.py", "migrate", "--noinput"],
        cwd=ROOT,
        env={**os.environ, "DATABASE_URL": _as(url, owner)},
        check=True,
        capture_output=True,
    )


def _one_table(app: psycopg.Connection[tuple[str, ...]]) -> sql.Identifier:
    row = app.execute("SELECT tablename FROM pg_tables WHERE tablename LIKE 'substrate_%' ORDER BY 1").fetchone()
    assert row is not None
    return sql.Identifier(row[0])


def test_the_application_reads_and_writes(app_url: str) -> None:
    with psycopg.connect(app_url) as app:
        app.execute("INSERT INTO django_session VALUES ('key', 'data', now())")
        assert app.execute("SELECT session_data FROM django_session").fetchall() == [("data",)]


@pytest.mark.parametrize(
    "statement",
    [
        "TRUNCATE {}",
        "DROP TABLE {} CASCADE",
        "ALTER TABLE {} DISABLE TRIGGER ALL",
        "CREATE TABLE own_table (id int)",
    ],
)
def test_the_application_changes_no_table(app_url: str, statement: str) -> None:
    with psycopg.connect(app_url) as app, pytest.raises(errors.InsufficientPrivilege):
        app.execute(sql.SQL(statement).format(_one_table(app)))


@pytest.mark.parametrize(
    ("table", "verbs"),
    [
        ("substrate_observation", ("UPDATE", "DELETE")),
        ("substrate_relationshipobservation", ("UPDATE", "DELETE")),
        ("substrate_source", ("UPDATE", "DELETE")),
        ("operations_auditentry", ("UPDATE", "DELETE")),
        ("substrate_event", ("UPDATE",)),
    ],
)
def test_the_application_has_no_right_to_rewrite_history(app_url: str, table: str, verbs: tuple[str, ...]) -> None:
    with psycopg.connect(app_url) as app:
        for right, wanted in {"SELECT": True, "INSERT": True, **dict.fromkeys(verbs, False)}.items():
            row = app.execute("SELECT has_table_privilege(%s, %s)", (table, right)).fetchone()
            assert row == (wanted,), right
