"""What can be asked of triage."""
