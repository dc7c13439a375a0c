"""`manage.py up`: broker, web, workers and beat of one machine, under one process that keeps them alive."""
