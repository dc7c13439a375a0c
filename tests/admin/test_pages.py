"""What pages say where there is nothing, where something is refused, and where something is long."""

from __future__ import annotations

from typing import Any

import pytest
from django.test import Client

from neotoma.adminsite.links import LABEL, entity_link
from neotoma.adminsite.moments import stated
from neotoma.substrate.models import Entity
from neotoma.templatetags.pages import plain
from tests.admin.conftest import Desk, Staff


def test_an_empty_list_says_whether_there_is_nothing_or_nothing_that_matches(boss: Staff) -> None:
    assert "Nothing here yet." in boss.page("issues/issue/")
    found = boss.page("issues/issue/", q="nothing-like-this")
    assert "Nothing matches." in found
    assert "0 issues" not in found


def test_a_list_with_rows_does_not(desk: Desk, boss: Staff) -> None:
    assert "Nothing " not in boss.page("issues/issue/")


@pytest.mark.parametrize("active", [True, False])
def test_filters_say_that_they_are_active(desk: Desk, boss: Staff, active: bool) -> None:
    query = {"state": "open"} if active else {}
    assert ("Filters <b>active</b>" in boss.page("issues/issue/", **query)) == active


def test_a_refused_page_has_our_face_and_tells_nothing(boss: Staff, desk: Desk) -> None:
    refused = boss.get("access/guesttoken/add/")
    assert refused.status_code == 403
    assert "Not for you" in refused.content.decode()
    assert "'unsafe" not in refused.headers["Content-Security-Policy"]
    assert "<style" not in refused.content.decode()


@pytest.mark.django_db
def test_an_address_without_anything_leads_back() -> None:
    missing = Client().get("/nowhere")
    assert missing.status_code == 404
    assert 'href="/admin/"' in missing.content.decode()
    assert "nowhere" not in missing.content.decode()


def test_what_can_be_done_is_marked_so_that_a_phone_shows_it_first(desk: Desk, boss: Staff) -> None:
    assert '<section class="card actions">' in boss.page(f"issues/issue/{desk.issue}/change/")


def test_a_long_name_is_cut_in_links(desk: Desk) -> None:
    row = Entity.objects.get(pk=desk.linked)
    link = entity_link(row.entity_type, row.pk, "T" * 300)
    assert "T" * (LABEL - 1) + "…" in link
    assert "T" * LABEL not in link


@pytest.mark.parametrize(
    ("value", "said"),
    [
        (True, "yes"),
        (False, "no"),
        (None, "none"),
        ([], "none"),
        ({}, "none"),
        (20.0, "20"),
        (5, "5"),
        (["bug", "security"], "bug, security"),
        ({"entity_types": ["issue"]}, "entity types: issue"),
    ],
)
def test_settings_are_said_as_people_say_them(value: Any, said: str) -> None:
    assert plain(value) == said


@pytest.mark.parametrize("text", ["", "<img>", "2026-11-30", "2026-11-30T10:00:00", 7, None])
def test_what_is_no_time_is_no_time(text: object) -> None:
    assert stated(text) is None


def test_a_time_is_read_as_it_is_written() -> None:
    found = stated("2026-11-30T10:00:00.000000Z")
    assert found is not None and found.hour == 10
