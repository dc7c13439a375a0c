"""Formica, the triage daemon: a consumer that decides what a report needs and carries it to a fix."""
