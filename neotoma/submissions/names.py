"""Texts that name something and so cannot be redacted: a secret in one is refused."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from neotoma.redaction import RedactionFailed, redact_fields
from neotoma.submissions.guard import RedactionImpossible


def refuse_secrets(named: Mapping[str, Any], *, but: Collection[str] = ()) -> None:
    """Refuses names, at any depth, that look like secrets or personal data; `but`: kinds that may stand.

    The refusal names the places, never the values.
    """
    try:
        found = {path: redact_fields({path: value}) for path, value in named.items()}
    except RedactionFailed as error:
        raise RedactionImpossible("The names could not be checked for secrets.") from error
    places = [place for one in found.values() if one.counts.keys() - set(but) for place in one.names]
    if places:
        raise RedactionImpossible(f"{places[0]}: this looks like a secret.", details={"fields": places})
