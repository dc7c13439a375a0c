from __future__ import annotations

from datetime import timedelta

import pytest
from django.utils import timezone

from issues.tasks import extend_open_grants
from neotoma.access.models import GuestToken
from neotoma.operations.invoke import call
from tests.support import callers

pytestmark = pytest.mark.django_db


def test_grants_last_while_their_issue_is_open() -> None:
    reporter = callers.reporter()
    open_issue, closed = callers.filed(reporter), callers.filed(reporter)
    call("close_issue", {"issue_number": closed["issue_number"], "resolution": {"kind": "fixed"}}, callers.operator())
    soon = timezone.now() + timedelta(days=3)
    GuestToken.objects.update(expires_at=soon)
    assert extend_open_grants() == 1
    assert extend_open_grants() == 0
    ends = dict(GuestToken.objects.values_list("thread_id", "expires_at"))
    assert ends[open_issue["entity_id"]] > soon + timedelta(days=20)
    assert ends[closed["entity_id"]] == soon


def test_an_ended_or_revoked_grant_stays_so() -> None:
    callers.filed(callers.reporter())
    GuestToken.objects.update(expires_at=timezone.now() - timedelta(seconds=1))
    assert extend_open_grants() == 0
    GuestToken.objects.update(expires_at=timezone.now() + timedelta(days=1), revoked_at=timezone.now())
    assert extend_open_grants() == 0
