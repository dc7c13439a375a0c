"""The page at the bare address says where everything is."""

from __future__ import annotations

import re

import pytest
from django.test import Client


@pytest.mark.django_db
def test_the_bare_address_leads_to_what_there_is(client: Client) -> None:
    page = client.get("/")
    assert page.status_code == 200
    links = re.findall(r'<a href="([^"]+)"', page.content.decode())
    assert links == ["/admin/", "/api/docs"]
    assert [client.get(link).status_code for link in links] == [302, 200]  # the overview asks who is there
    assert b"/mcp" in page.content


def test_it_takes_no_writes(client: Client) -> None:
    assert client.post("/").status_code == 405
