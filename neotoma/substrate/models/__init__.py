"""The tables of the substrate."""

from neotoma.substrate.models.entities import Entity, FieldValue
from neotoma.substrate.models.events import ConsumerOffset, DeadEvent, Event, EventBatch, RetentionPass
from neotoma.substrate.models.observations import Observation
from neotoma.substrate.models.regroupings import Regrouping
from neotoma.substrate.models.relationships import Relationship, RelationshipObservation
from neotoma.substrate.models.search import SearchDocument
from neotoma.substrate.models.sources import Source, Withdrawal
from neotoma.substrate.models.types import Backfill, TypeCatalogue

__all__ = [
    "Backfill",
    "ConsumerOffset",
    "DeadEvent",
    "Entity",
    "Event",
    "EventBatch",
    "FieldValue",
    "Observation",
    "Regrouping",
    "Relationship",
    "RelationshipObservation",
    "RetentionPass",
    "SearchDocument",
    "Source",
    "TypeCatalogue",
    "Withdrawal",
]
