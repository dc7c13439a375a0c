"""Subscribers are told what was stored: signed, once, and only where a public address answers."""
