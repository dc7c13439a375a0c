"""The web application, for granian or any other WSGI server."""

import os

from django.core.wsgi import get_wsgi_application

from neotoma.lifeline import die_with_parent

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "neotoma.settings")
die_with_parent()
application = get_wsgi_application()

from neotoma.consumers import kick_in_background  # noqa: E402  needs the apps that the line above has loaded

kick_in_background()
