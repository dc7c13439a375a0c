"""Agents, credentials and reviewers: operators make and revoke them here. Tokens are shown once, then only digests."""

from neotoma.access.admin import agents, guests, reviewers, tokens

__all__ = ["agents", "guests", "reviewers", "tokens"]
