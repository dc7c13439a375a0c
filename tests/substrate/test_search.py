from __future__ import annotations

import pytest
from django.utils import timezone

from neotoma.substrate import search
from neotoma.substrate.actors import SYSTEM, Audience
from neotoma.substrate.drafts import Draft
from neotoma.substrate.models.entities import seen_by
from neotoma.substrate.store import open_write

pytestmark = pytest.mark.django_db


def test_visibility_narrows_before_the_window_is_cut(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(search, "WINDOW", 2)
    drafts = [
        Draft("task", {"title": f"needle {number}"}, owner=owner, visibility="private")
        for number, owner in enumerate(["agent:1", "agent:2", "agent:2", "agent:2"])
    ]
    with open_write(SYSTEM, timezone.now()) as write:
        ids = [item.entity.pk for item in write.put(drafts)]
    assert set(search.matching("needle")).isdisjoint(ids[:1])
    assert list(search.matching("needle", within=seen_by(Audience(owner="agent:1"), "entity__"))) == ids[:1]
