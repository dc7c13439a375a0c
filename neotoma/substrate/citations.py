"""What was learned from raw material."""

from __future__ import annotations

from neotoma.substrate.actors import Audience
from neotoma.substrate.models import Entity, Observation, Source

MOST = 20


def cited_by(source: Source, audience: Audience) -> list[str]:
    """Ids of visible entities with facts from a source, as they were stated, 20 at most."""
    facts = Observation.objects.filter(source=source).values("entity_id")
    seen = Entity.objects.visible_to(audience).filter(pk__in=facts)
    return list(seen.order_by("pk").values_list("pk", flat=True)[:MOST])
