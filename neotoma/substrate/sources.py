"""Keeping raw material by its content: the same content once."""

from __future__ import annotations

import base64
import hashlib
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from django.db import IntegrityError

from neotoma.substrate import rows
from neotoma.substrate.actors import Actor
from neotoma.substrate.errors import WriteRace
from neotoma.substrate.models import Source, Withdrawal
from neotoma.substrate.models.sources import KEPT

Encoding = Literal["text", "base64"]
Kept = Literal["kept", "unchanged", "restored"]


@dataclass(frozen=True, slots=True)
class Material:
    """Bytes, in the form in which a text column holds them."""

    content: str
    encoding: Encoding
    mime_type: str

    @property
    def raw(self) -> bytes:
        return self.content.encode() if self.encoding == "text" else base64.b64decode(self.content)


def keep_once(material: Material, scope: str, raw_digest: str, actor: Actor, now: datetime) -> tuple[Source, Kept]:
    """The source of this content within `scope`, made or brought back where it is not there.

    Raises `WriteRace` when another transaction made it first.
    """
    raw = material.raw
    content_hash = hashlib.sha256(raw).hexdigest()
    held = Source.objects.filter(scope=scope, content_hash=content_hash).first()
    if held is not None:
        gone, _ = Withdrawal.objects.filter(source=held).delete()
        return held, "restored" if gone else "unchanged"
    source = Source(
        kind=KEPT,
        scope=scope,
        content_hash=content_hash,
        raw_digest=raw_digest,
        mime_type=material.mime_type,
        encoding=material.encoding,
        size=len(raw),
        content=material.content,
        actor_key=actor.key,
        created_at=now,
    )
    try:
        rows.insert([source])
    except IntegrityError as error:
        raise WriteRace("another transaction kept the same content") from error
    return source, "kept"


def withdraw(source: Source, actor: Actor, now: datetime) -> bool:
    """Take a source back; False when it was already."""
    _, made = Withdrawal.objects.get_or_create(source=source, defaults={"actor_key": actor.key, "created_at": now})
    return made


def restore(source: Source) -> bool:
    """Undo `withdraw`; False when there is nothing to undo."""
    gone, _ = Withdrawal.objects.filter(source=source).delete()
    return bool(gone)
