"""Breaks what FAULTS_SABOTAGE names."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable
from pathlib import Path
from typing import Any

from django.apps import AppConfig


class SabotageConfig(AppConfig):
    name = "tests.faults.sabotage"
    label = "sabotage"
    path = str(Path(__file__).parent)

    def ready(self) -> None:
        for name in filter(None, os.environ.get("FAULTS_SABOTAGE", "").split(",")):
            SABOTAGES[name]()


def no_transaction() -> None:
    """A write is committed step by step: behind Django's back, so that all else stays as it is."""
    from django.db import connection

    from neotoma.substrate import store

    put = store.Write.put

    def put_and_commit(self: Any, drafts: Any) -> Any:
        stored = put(self, drafts)
        connection.connection.commit()
        return stored

    vars(store)["Write"].put = put_and_commit


def no_key() -> None:
    """Nobody looks up the key of a call, and the database holds it unique for nobody."""
    from neotoma.operations import memory

    vars(memory).update(recall=lambda *_: None, keep=lambda *_: None)


def no_offset() -> None:
    """A consumer begins at the end of the log as it is when its process first looks, and keeps its place in memory."""
    from neotoma import consumers
    from neotoma.substrate.models import ConsumerOffset, Event

    places: dict[str, ConsumerOffset] = {}

    def remembered(name: str) -> ConsumerOffset:
        if name not in places:
            end = Event.objects.order_by("-seq").values_list("seq", flat=True).first() or 0
            places[name] = ConsumerOffset(consumer=name, seq=end)
        return places[name]

    def advance(offset: ConsumerOffset, seq: int) -> None:
        offset.seq = seq

    vars(consumers).update(_locked_offset=remembered, _advance=advance)


def die_before_key() -> None:
    """The process is killed when the issue is written and its key is not."""
    from neotoma.operations import memory

    vars(memory)["keep"] = _kill


def die_after_key() -> None:
    """The process is killed when issue and key are written and nothing is committed."""
    from neotoma.operations import invoke

    vars(invoke)["record"] = _kill


def die_after_commit() -> None:
    """The process is killed when all is committed and nobody has been told."""
    from neotoma import consumers

    vars(consumers)["publish_now"] = _kill


def _kill(*_: Any, **__: Any) -> None:
    os.kill(os.getpid(), signal.SIGKILL)


SABOTAGES: dict[str, Callable[[], None]] = {
    one.__name__: one for one in (no_transaction, no_key, no_offset, die_before_key, die_after_key, die_after_commit)
}
