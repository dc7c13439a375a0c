"""The pages that describe the API."""

from __future__ import annotations

import re

from tests.operations.rest.conftest import Api


def test_the_document_names_what_agents_may_know(anyone: Api) -> None:
    answer = anyone.send("GET", "openapi.json")
    found = {entry["operationId"] for path in answer.json()["paths"].values() for entry in path.values()}
    assert answer.status_code == 200 and "make_toy" in found and "hidden_toy" not in found
    assert anyone.send("GET", "openapi.json", If_None_Match=answer["ETag"]).status_code == 304


def test_the_manifest_is_tagged(anyone: Api) -> None:
    answer = anyone.send("GET", "manifest")
    assert answer.json()["name"] == "neotoma"
    assert anyone.send("GET", "manifest", If_None_Match=answer["ETag"]).status_code == 304


def test_the_page_for_people_needs_no_script_and_no_other_host(anyone: Api) -> None:
    answer = anyone.send("GET", "docs", Accept="text/html")
    page = answer.content.decode()
    assert answer.status_code == 200 and answer["Content-Type"].startswith("text/html")
    assert 'id="make_toy"' in page and "hidden_toy" not in page
    assert "<script" not in page and "style=" not in page
    assert re.findall(r'(?:src|href)="(?!/|#)', page) == []


def test_descriptions_are_only_read(anyone: Api) -> None:
    assert anyone.send("POST", "manifest", {}).status_code == 405
