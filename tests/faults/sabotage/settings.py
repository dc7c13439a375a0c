"""The product's settings and one more app, which breaks things when the process starts."""

from neotoma.settings import *  # noqa: F403  a build that differs in nothing else

INSTALLED_APPS = [*INSTALLED_APPS, "tests.faults.sabotage"]  # noqa: F405
