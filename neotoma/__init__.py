"""Neotoma: a versioned fact store for agents, with an issue loop on top."""

__version__ = "0.1.0"
