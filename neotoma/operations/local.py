"""The caller at this machine's own command line."""

from __future__ import annotations

from neotoma.access.principals import Principal, audience_of, expand
from neotoma.substrate.actors import Actor

KEY = "local"


def local_principal() -> Principal:
    """Whoever can run commands against the database owns it: the operator, a person, in process and over stdio."""
    scopes = expand({"operate"})
    return Principal(Actor(KEY, "maintainer", "operator"), scopes, audience_of(scopes, KEY), staff=True, credential=KEY)
