"""What can be asked of webhooks."""
