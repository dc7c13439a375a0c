"""Every setting, in one file: each value comes from the environment, with a default and the reason for it."""

import os
import sys
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from neotoma import __version__
from neotoma.environment import Environment, database
from neotoma.secret import secret_key

env = Environment(os.environ)

BASE_DIR = Path(__file__).resolve().parent.parent
VERSION = __version__

# Everything an embedded instance keeps: database, broker files, instance.json. Two folders are two instances.
NEOTOMA_DATA = Path(env.text("NEOTOMA_DATA", str(BASE_DIR / "var"))).resolve()
NEOTOMA_HOST = env.text("NEOTOMA_HOST", "127.0.0.1")  # loopback: exposing an instance is a decision, not a default
NEOTOMA_PORT = env.integer("NEOTOMA_PORT", 8000, 1, 65535)
NEOTOMA_BEHIND_PROXY = env.flag("NEOTOMA_BEHIND_PROXY", False)  # only then are X-Forwarded-* headers believed
NEOTOMA_BASE_URL = env.text("NEOTOMA_BASE_URL", f"http://127.0.0.1:{NEOTOMA_PORT}").rstrip("/")
_BASE_HOST = urlsplit(NEOTOMA_BASE_URL).hostname or "localhost"
_LOOPBACK_HOSTS = ("localhost", "127.0.0.1", "[::1]")
_IS_LOCAL = _BASE_HOST in {"localhost", "127.0.0.1", "::1"}

# --- Product -------------------------------------------------------------------------------------------------------
# A local instance has local receivers; a public one must never be talked into calling its own network.
NEOTOMA_ALLOW_LOCAL_WEBHOOKS = env.flag("NEOTOMA_ALLOW_LOCAL_WEBHOOKS", _IS_LOCAL)
NEOTOMA_GUEST_TTL_MAX_DAYS = env.integer("NEOTOMA_GUEST_TTL_MAX_DAYS", 90, 1, 3650)
NEOTOMA_GUEST_TTL_DAYS = env.integer("NEOTOMA_GUEST_TTL_DAYS", 30, 1, NEOTOMA_GUEST_TTL_MAX_DAYS)
NEOTOMA_DEFAULT_VISIBILITY = env.choice("NEOTOMA_DEFAULT_VISIBILITY", "private", ("private", "public"))
NEOTOMA_IDEMPOTENCY_HOURS = env.integer("NEOTOMA_IDEMPOTENCY_HOURS", 24, 1, 720)  # how long a key replays
# No behind a pooler that hands each transaction another connection and knows nothing of prepared statements.
NEOTOMA_PREPARED_STATEMENTS = env.flag("NEOTOMA_PREPARED_STATEMENTS", True)
NEOTOMA_EVENT_RETENTION_DAYS = env.integer("NEOTOMA_EVENT_RETENTION_DAYS", 90, 1, 3650)  # a cursor may lag so long
NEOTOMA_ANONYMOUS_PER_HOUR = env.integer("NEOTOMA_ANONYMOUS_PER_HOUR", 60, 1, 100_000)  # submissions, one address
NEOTOMA_REFUSALS_PER_HOUR = env.integer("NEOTOMA_REFUSALS_PER_HOUR", 600, 1, 100_000)  # bad credentials, one address
# Where runs check out their commits: private to the user of the workers, never inside a checkout.
NEOTOMA_WORKTREES = Path(env.text("NEOTOMA_WORKTREES", str(NEOTOMA_DATA / "worktrees"))).resolve()

# --- Django --------------------------------------------------------------------------------------------------------
SECRET_KEY = secret_key(env.text("NEOTOMA_SECRET_KEY"), NEOTOMA_DATA)
DEBUG = env.flag("NEOTOMA_DEBUG", False)
ALLOWED_HOSTS = [_BASE_HOST, *_LOOPBACK_HOSTS, *env.words("NEOTOMA_ALLOWED_HOSTS")]
CSRF_TRUSTED_ORIGINS = [NEOTOMA_BASE_URL]
ROOT_URLCONF = "neotoma.urls"
WSGI_APPLICATION = "neotoma.wsgi.application"
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"
APPEND_SLASH = False  # an API path means one thing; a redirect would drop the body of a POST
USE_TZ = True
TIME_ZONE = "UTC"
LANGUAGE_CODE = "en"
USE_I18N = False
DATA_UPLOAD_MAX_MEMORY_SIZE = 4 * 1024 * 1024  # bytes; the doors set tighter limits of their own

INSTALLED_APPS = [
    "neotoma.adminsite",  # django.contrib.admin with a site of ours
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.staticfiles",
    "rest_framework",
    "guardian",
    "neotoma",
    "neotoma.substrate",
    "neotoma.access",
    "neotoma.operations",
    "neotoma.submissions",
    "issues",
    "triage",
    "webhooks",
]

# Pages for people; everything else authenticates by token and pays for no session, CSRF check or message store.
NEOTOMA_PAGES = ("/admin/",)
MIDDLEWARE = [
    "neotoma.middleware.RequestId",
    "neotoma.middleware.Latency",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "neotoma.middleware.Security",
    "neotoma.middleware.Sessions",
    "neotoma.middleware.Csrf",
    "neotoma.middleware.Authentication",
    "neotoma.middleware.Messages",
]
TEMPLATES: list[dict[str, Any]] = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "neotoma" / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
            ]
        },
    }
]

DATABASES = {"default": database(env.text("DATABASE_URL", f"sqlite:///{NEOTOMA_DATA / 'neotoma.sqlite3'}"))}

AUTHENTICATION_BACKENDS = [
    "django.contrib.auth.backends.ModelBackend",
    "guardian.backends.ObjectPermissionBackend",
]
ANONYMOUS_USER_NAME = None  # guests hold tokens of their own and never become a user row
AUTH_PASSWORD_VALIDATORS = [{"NAME": "django.contrib.auth.password_validation.MinimumLengthValidator"}]
LOGIN_URL = "/admin/login/"

# Secure cookies exactly where the address is https: a local instance on plain http must still let people sign in.
_IS_HTTPS = NEOTOMA_BASE_URL.startswith("https://")
SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = _IS_HTTPS
SESSION_COOKIE_NAME = f"neotoma_{NEOTOMA_PORT}_session"  # instances on one host must not sign each other out
CSRF_COOKIE_NAME = f"neotoma_{NEOTOMA_PORT}_csrf"
SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https") if NEOTOMA_BEHIND_PROXY else None
X_FRAME_OPTIONS = "DENY"

SILENCED_SYSTEM_CHECKS = [
    # neotoma.middleware has its own in place of the classes that these look for by name:
    "security.W001",  # Security: safe headers; TLS ends at a proxy, which redirects and sends HSTS
    "security.W002",  # Security: no framing of any answer
    "security.W003",  # Csrf: Django's own check, on pages only; elsewhere no cookie is a credential
    # A cookie for https alone would keep everybody out of an instance on this machine; anywhere else the check stands.
    *(["security.W010"] if _IS_LOCAL and not _IS_HTTPS else []),
]

# Found in the packages at start: no collectstatic step stands between a clone and a working admin.
STATIC_URL = "/static/"
STATIC_ROOT = None
WHITENOISE_USE_FINDERS = True
WHITENOISE_AUTOREFRESH = False

CACHES = {"default": {"BACKEND": "django.core.cache.backends.locmem.LocMemCache"}}

REST_FRAMEWORK: dict[str, Any] = {
    "DEFAULT_RENDERER_CLASSES": ["rest_framework.renderers.JSONRenderer"],
    "DEFAULT_PARSER_CLASSES": ["rest_framework.parsers.JSONParser"],
    "DEFAULT_AUTHENTICATION_CLASSES": [],  # operations authenticate; a view that forgets gets nobody, not a user
    "DEFAULT_PERMISSION_CLASSES": [],
    "UNAUTHENTICATED_USER": None,
}

# --- Logs ----------------------------------------------------------------------------------------------------------
# JSON for machines, lines for a person at a terminal.
NEOTOMA_LOG_FORMAT = env.choice("NEOTOMA_LOG_FORMAT", "console" if sys.stderr.isatty() else "json", ("json", "console"))
NEOTOMA_LOG_LEVEL = env.choice("NEOTOMA_LOG_LEVEL", "INFO", ("DEBUG", "INFO", "WARNING", "ERROR"))
LOGGING_CONFIG = "neotoma.logs.configure"
LOGGING = {"format": NEOTOMA_LOG_FORMAT, "level": NEOTOMA_LOG_LEVEL}

# --- Queue ---------------------------------------------------------------------------------------------------------
# `manage.py up` chooses a broker and passes it on; without one, the processes of a machine talk through files.
CELERY_BROKER_URL = env.text("CELERY_BROKER_URL") or env.text("REDIS_URL", "filesystem://localhost//")
NEOTOMA_QUEUE_PREFIX = env.text("NEOTOMA_QUEUE_PREFIX")  # lets several instances share one Redis database
NEOTOMA_WEB_WORKERS = env.integer("NEOTOMA_WEB_WORKERS", 2, 1, 64)
NEOTOMA_WEB_THREADS = env.integer("NEOTOMA_WEB_THREADS", 4, 1, 256)  # more only queue for one interpreter lock
NEOTOMA_WORKER_SLOTS = env.integer("NEOTOMA_WORKER_SLOTS", 4, 2, 64)  # grows from 2 under load
NEOTOMA_WEBHOOK_THREADS = env.integer("NEOTOMA_WEBHOOK_THREADS", 32, 1, 256)  # a slow endpoint holds only its own
NEOTOMA_RUNNER_SLOTS = env.integer("NEOTOMA_RUNNER_SLOTS", 4, 1, 64)  # grows from 1 under load
NEOTOMA_TASK_SECONDS = env.integer("NEOTOMA_TASK_SECONDS", 3600, 60, 86400)  # the longest a runner task may take
