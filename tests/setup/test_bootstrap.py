"""`manage.py bootstrap`, for instances whose services somebody else starts."""

import json
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import call_command
from pytest_django import Settings


@pytest.mark.django_db
def test_it_makes_identities_once_and_prints_no_secret(settings: Settings, tmp_path: Path) -> None:
    settings.NEOTOMA_DATA = tmp_path
    output = StringIO()
    call_command("bootstrap", stdout=output)
    first = json.loads((tmp_path / "instance.json").read_text())
    call_command("bootstrap", stdout=output)
    assert json.loads((tmp_path / "instance.json").read_text()) == first
    assert first["operator_token"] != first["reporter_token"]
    assert [
        value for key, value in first.items() if key.endswith(("token", "password")) and value in output.getvalue()
    ] == []
