"""Triage, for people: plans to decide on, daemons to switch, cases and runs to look at."""

from triage.admin import cases, daemons, plans, runs

__all__ = ["cases", "daemons", "plans", "runs"]
