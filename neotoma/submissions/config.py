"""Who may submit which type."""

from __future__ import annotations

from typing import ClassVar

from django.conf import settings

from neotoma.access import limits
from neotoma.operations.context import Context
from neotoma.submissions.models import SubmissionConfig
from neotoma.substrate.errors import Refusal

BUILT_IN = {"issue": SubmissionConfig.Policy.SUBMITTER_SCOPED}
"""Types that can be submitted without a row; a row overrides them."""
ANONYMOUS_MAY = frozenset({"submit_only", "submitter_scoped", "open"})


class SubmissionClosed(Refusal):
    """The type takes no submissions from this caller."""

    error_code: ClassVar[str] = "SUBMISSION_CLOSED"
    status = 403
    hint = "Use a token with the scope `report`, or ask the operator to open the type."


def policy_of(entity_type: str) -> str:
    """The access policy of a type; `closed` when nobody opened it."""
    held = SubmissionConfig.objects.filter(target_entity_type=entity_type, active=True)
    found = held.values_list("access_policy", flat=True).first()
    return str(found or BUILT_IN.get(entity_type, SubmissionConfig.Policy.CLOSED))


def admit(context: Context, entity_type: str) -> None:
    """Refuses a caller whom the type's policy does not let in, and the anonymous one who comes too often."""
    if context.principal.role != "anonymous":
        return
    if policy_of(entity_type) not in ANONYMOUS_MAY:
        raise SubmissionClosed(f"{entity_type} takes no submissions without a token.")
    limits.take(
        f"anonymous:{context.address}",
        limit=settings.NEOTOMA_ANONYMOUS_PER_HOUR,
        window_s=3600,
        now_s=context.now.timestamp(),
    )
