"""Django's SQLite backend, with writers that wait for their turn."""
