"""Search documents hold words instead of text, so that SQLite and PostgreSQL find the same."""

from typing import Any

from django.db import migrations

import neotoma.substrate.models.search
from neotoma.substrate.search import words_stored

BATCH = 1_000
SQLITE = [
    "CREATE VIRTUAL TABLE substrate_search USING fts5(words, content='substrate_searchdocument', content_rowid='id',"
    " tokenize=\"ascii tokenchars '_'\", detail=none, columnsize=0)",
    "INSERT INTO substrate_search(substrate_search) VALUES ('rebuild')",
    "CREATE TRIGGER substrate_search_insert AFTER INSERT ON substrate_searchdocument BEGIN"
    " INSERT INTO substrate_search(rowid, words) VALUES (new.id, new.words); END",
    "CREATE TRIGGER substrate_search_delete AFTER DELETE ON substrate_searchdocument BEGIN"
    " INSERT INTO substrate_search(substrate_search, rowid, words) VALUES ('delete', old.id, old.words); END",
    "CREATE TRIGGER substrate_search_update AFTER UPDATE ON substrate_searchdocument BEGIN"
    " INSERT INTO substrate_search(substrate_search, rowid, words) VALUES ('delete', old.id, old.words);"
    " INSERT INTO substrate_search(rowid, words) VALUES (new.id, new.words); END",
]
POSTGRES = ["CREATE INDEX search_document_words ON substrate_searchdocument USING gin (words)"]
SQLITE_UNDO = [
    "DROP TRIGGER substrate_search_insert",
    "DROP TRIGGER substrate_search_delete",
    "DROP TRIGGER substrate_search_update",
    "DROP TABLE substrate_search",
]
POSTGRES_UNDO = ["DROP INDEX search_document_words"]


def drop_index(_: Any, editor: Any) -> None:
    for statement in POSTGRES_UNDO if editor.connection.vendor == "postgresql" else SQLITE_UNDO:
        editor.execute(statement)


def make_index(_: Any, editor: Any) -> None:
    for statement in POSTGRES if editor.connection.vendor == "postgresql" else SQLITE:
        editor.execute(statement)


def fill(apps: Any, _: Any) -> None:
    documents, last = apps.get_model("substrate", "SearchDocument").objects, 0
    while batch := list(documents.filter(pk__gt=last).order_by("pk")[:BATCH]):
        for document in batch:
            document.words = words_stored(document.entity_type, document.text)
        documents.bulk_update(batch, ["words"])
        last = batch[-1].pk


class Migration(migrations.Migration):
    dependencies = [("substrate", "0004_event_of_thread")]
    operations = [
        migrations.RunPython(drop_index),
        migrations.AddField("searchdocument", "words", neotoma.substrate.models.search.WordsField(default="")),
        migrations.RunPython(fill),
        migrations.RemoveField("searchdocument", "text"),
        migrations.RunPython(make_index),
    ]
