"""Full text: FTS5 kept by triggers on SQLite, an expression index on PostgreSQL."""

from typing import Any

from django.db import migrations

SQLITE = [
    "CREATE VIRTUAL TABLE substrate_search USING fts5("
    "text, content='substrate_searchdocument', content_rowid='id', tokenize='unicode61 remove_diacritics 0')",
    "CREATE TRIGGER substrate_search_insert AFTER INSERT ON substrate_searchdocument BEGIN"
    " INSERT INTO substrate_search(rowid, text) VALUES (new.id, new.text); END",
    "CREATE TRIGGER substrate_search_delete AFTER DELETE ON substrate_searchdocument BEGIN"
    " INSERT INTO substrate_search(substrate_search, rowid, text) VALUES ('delete', old.id, old.text); END",
    "CREATE TRIGGER substrate_search_update AFTER UPDATE ON substrate_searchdocument BEGIN"
    " INSERT INTO substrate_search(substrate_search, rowid, text) VALUES ('delete', old.id, old.text);"
    " INSERT INTO substrate_search(rowid, text) VALUES (new.id, new.text); END",
]
SQLITE_UNDO = [
    "DROP TRIGGER substrate_search_insert",
    "DROP TRIGGER substrate_search_delete",
    "DROP TRIGGER substrate_search_update",
    "DROP TABLE substrate_search",
]
POSTGRES = ["CREATE INDEX search_document_words ON substrate_searchdocument USING gin (to_tsvector('simple', text))"]
POSTGRES_UNDO = ["DROP INDEX search_document_words"]


def forwards(_: Any, editor: Any) -> None:
    for statement in POSTGRES if editor.connection.vendor == "postgresql" else SQLITE:
        editor.execute(statement)


def backwards(_: Any, editor: Any) -> None:
    for statement in POSTGRES_UNDO if editor.connection.vendor == "postgresql" else SQLITE_UNDO:
        editor.execute(statement)


class Migration(migrations.Migration):
    dependencies = [("substrate", "0002_append_only")]
    operations = [migrations.RunPython(forwards, backwards)]
