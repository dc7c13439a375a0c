"""Carrying out approved plans, each in a worktree of its own."""
