"""What staff call the things that models are named for."""

from __future__ import annotations

from typing import Any

_NAMES = {
    "access.entitygrouppermission": ("Reviewing group", "Reviewing groups"),
    "access.entityuserpermission": ("Reviewing person", "Reviewing people"),
    "triage.daemonconfig": ("Daemon", "Daemons"),
    "operations.auditentry": ("Audit entry", "Audit"),
}


def named(opts: Any) -> tuple[str, str]:
    """Singular and plural for a model's `_meta`, as a heading writes them."""
    plain = (str(opts.verbose_name), str(opts.verbose_name_plural))
    one, many = _NAMES.get(opts.label_lower, plain)
    return one[:1].upper() + one[1:], many[:1].upper() + many[1:]
