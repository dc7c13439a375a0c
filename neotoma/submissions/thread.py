"""Threads: a submission, its conversation, its messages."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from neotoma.operations.context import Context
from neotoma.substrate.actors import Actor
from neotoma.substrate.drafts import Draft, Edge, Stored
from neotoma.substrate.identity import entity_id
from neotoma.substrate.models import Source
from neotoma.substrate.reading import iso
from neotoma.substrate.store import OWNER_SCOPE


def subject_draft(entity_type: str, key: str, fields: Mapping[str, Any], visibility: str, source: Source) -> Draft:
    """The submission itself; its thread id is its own id. `key` must never have been used."""
    return Draft(
        entity_type,
        fields,
        key=f"new:{key}",
        visibility=visibility,
        thread_id=subject_id(entity_type, key),
        source=source,
    )


def subject_id(entity_type: str, key: str) -> str:
    """The id that a submission with this key has or will have."""
    return entity_id(OWNER_SCOPE, entity_type, f"new:{key}")


def conversation_draft(subject: Draft, title: str) -> Draft:
    """The conversation of a submission."""
    return Draft(
        "conversation",
        {"title": title, "subject_id": subject.thread_id, "thread_kind": "agent_agent"},
        key=f"new:conversation:{subject.thread_id}",
        visibility=subject.visibility,
        thread_id=subject.thread_id,
    )


def conversation_of(thread_id: str) -> str:
    """The id of a submission's conversation."""
    return entity_id(OWNER_SCOPE, "conversation", f"new:conversation:{thread_id}")


def message_draft(
    context: Context,
    thread_id: str,
    visibility: str,
    position: int,
    author: Actor,
    fields: Mapping[str, Any],
    source: Source | None = None,
) -> Draft:
    """The message at `position`; the caller holds the lock on the submission, which makes positions unique."""
    content = {
        "thread_id": thread_id,
        "conversation_id": conversation_of(thread_id),
        "position": position,
        "author_key": author.key,
        "author_kind": author.kind,
        "author_name": author.name,
        "created_at": iso(context.now),
        **fields,
    }
    return Draft(
        "conversation_message",
        content,
        key=f"new:message:{thread_id}:{position}",
        visibility=visibility,
        thread_id=thread_id,
        source=source,
    )


def author_of(context: Context, owner: str) -> Actor:
    """Whoever opened the thread speaks as its reporter, and so does everyone without a name of their own."""
    actor = context.principal.actor
    is_reporter = actor.key == owner or context.principal.role in ("anonymous", "guest", "reporter")
    return Actor(actor.key, "reporter", actor.name) if is_reporter else actor


def first_edges(subject: Stored, conversation: Stored, message: Stored) -> list[Edge]:
    """What ties a new thread together."""
    return [
        Edge("REFERS_TO", subject.entity.pk, conversation.entity.pk),
        part_of(message.entity.pk, subject.entity.pk),
    ]


def part_of(message_id: str, thread_id: str) -> Edge:
    """A message belongs to its conversation."""
    return Edge("PART_OF", message_id, conversation_of(thread_id))


def link_edges(source_id: str, entity_ids: Sequence[str], path: str = "entity_ids_to_link") -> list[Edge]:
    """REFERS_TO from a submission or message to what it is about; repeats count once."""
    return [
        Edge("REFERS_TO", source_id, target, path=f"{path}.{position}")
        for position, target in enumerate(dict.fromkeys(entity_ids))
    ]
