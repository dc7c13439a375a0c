"""The filter language of events: one meaning, in Python and in SQL."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Protocol

from django.db.models import Q

OBSERVED = "observation.created"
"""The one type that only those who name it get."""

_NONE: frozenset[str] = frozenset()


class EventLike(Protocol):
    """What a filter looks at; `Event` has it."""

    event_type: str
    entity_id: str
    entity_type: str
    target_id: str
    thread_id: str
    actor_key: str


@dataclass(frozen=True, slots=True)
class EventFilter:
    """Every part that is given must hold; an empty part lets everything through.

    `entity_ids` are met by the entity of an event, by the other end of a relationship and by the thread that the
    entity belongs to, so the id of a submission alone covers its messages. `exclude_actor`: key of an actor whose own
    events are left out.
    """

    entity_types: frozenset[str] = _NONE
    entity_ids: frozenset[str] = _NONE
    event_types: frozenset[str] = _NONE
    exclude_actor: str = ""

    @classmethod
    def of(
        cls,
        *,
        entity_types: Iterable[str] = (),
        entity_ids: Iterable[str] = (),
        event_types: Iterable[str] = (),
        exclude_actor: str = "",
    ) -> EventFilter:
        """From any collections, e.g. lists of a JSON column."""
        return cls(frozenset(entity_types), frozenset(entity_ids), frozenset(event_types), exclude_actor)

    @property
    def is_empty(self) -> bool:
        """Whether no part narrows by what happened or to what."""
        return not (self.entity_types or self.entity_ids or self.event_types)

    def following(self, roots: Mapping[str, str]) -> EventFilter:
        """The same, where an id that was merged away means what it became too; `roots` says what each reads as."""
        became = {roots[one] for one in self.entity_ids if one in roots}
        return replace(self, entity_ids=self.entity_ids | became) if became else self

    def matches(self, event: EventLike) -> bool:
        if self.exclude_actor and event.actor_key == self.exclude_actor:
            return False
        if not (event.event_type in self.event_types if self.event_types else event.event_type != OBSERVED):
            return False
        if self.entity_types and event.entity_type not in self.entity_types:
            return False
        return not self.entity_ids or not self.entity_ids.isdisjoint(
            (event.entity_id, event.target_id, event.thread_id)
        )

    def q(self) -> Q:
        """The same as a condition on `Event` rows."""
        wanted = Q(event_type__in=sorted(self.event_types)) if self.event_types else ~Q(event_type=OBSERVED)
        if self.entity_types:
            wanted &= Q(entity_type__in=sorted(self.entity_types))
        if self.entity_ids:
            ids = sorted(self.entity_ids)
            wanted &= Q(entity_id__in=ids) | Q(target_id__in=ids) | Q(thread_id__in=ids)
        if self.exclude_actor:
            wanted &= ~Q(actor_key=self.exclude_actor)
        return wanted
