"""Triggers that keep tables append-only on both databases, as migration operations."""

from __future__ import annotations

from typing import Any

from django.db import migrations

RETENTION_OPEN = "EXISTS (SELECT 1 FROM substrate_retentionpass)"


def append_only(table: str, *, retention: bool = False) -> migrations.RunPython:
    """Refuse UPDATE and TRUNCATE, and DELETE too unless `retention` and a retention pass is open."""

    def forwards(_: Any, editor: Any) -> None:
        make = _postgres if editor.connection.vendor == "postgresql" else _sqlite
        for statement in make(table, retention):
            editor.execute(statement)

    def backwards(_: Any, editor: Any) -> None:
        for statement in _undo(table, editor.connection.vendor):
            editor.execute(statement)

    return migrations.RunPython(forwards, backwards)


def _sqlite(table: str, retention: bool) -> list[str]:
    when = f" WHEN NOT {RETENTION_OPEN}" if retention else ""
    refuse = f"BEGIN SELECT RAISE(ABORT, '{table} is append-only'); END"
    return [
        f"CREATE TRIGGER {table}_no_update BEFORE UPDATE ON {table} {refuse}",
        f"CREATE TRIGGER {table}_no_delete BEFORE DELETE ON {table}{when} {refuse}",
    ]


def _postgres(table: str, retention: bool) -> list[str]:
    allowed = f"IF TG_OP = 'DELETE' AND {RETENTION_OPEN} THEN RETURN OLD; END IF;" if retention else ""
    body = f"{allowed} RAISE EXCEPTION '{table} is append-only' USING ERRCODE = 'restrict_violation';"
    return [
        f"CREATE FUNCTION {table}_append_only() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN {body} END $$",
        f"CREATE TRIGGER {table}_no_change BEFORE UPDATE OR DELETE ON {table}"
        f" FOR EACH ROW EXECUTE FUNCTION {table}_append_only()",
        f"CREATE TRIGGER {table}_no_truncate BEFORE TRUNCATE ON {table}"
        f" FOR EACH STATEMENT EXECUTE FUNCTION {table}_append_only()",
        _revoked(table, "UPDATE" if retention else "UPDATE, DELETE"),
    ]


def _revoked(table: str, rights: str) -> str:
    """Take the rights from every role that uses the table without owning it: triggers are the second wall."""
    users = (
        "SELECT DISTINCT grantee FROM information_schema.role_table_grants WHERE table_schema = current_schema()"  # noqa: S608
        f" AND table_name = '{table}' AND grantee NOT IN (current_user, 'PUBLIC')"
    )
    revoke = f"EXECUTE 'REVOKE {rights} ON {table} FROM ' || quote_ident(held.grantee);"
    return f"DO $$ DECLARE held record; BEGIN FOR held IN {users} LOOP {revoke} END LOOP; END $$"


def _undo(table: str, vendor: str) -> list[str]:
    if vendor == "postgresql":
        return [f"DROP FUNCTION {table}_append_only() CASCADE"]
    return [f"DROP TRIGGER {table}_no_update", f"DROP TRIGGER {table}_no_delete"]
