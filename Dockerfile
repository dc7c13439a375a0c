# One image for every service; compose.yaml says what each runs.
FROM python:3.11-slim-bookworm AS build
ENV PIP_NO_CACHE_DIR=1 PIP_DISABLE_PIP_VERSION_CHECK=1
RUN python -m venv /opt/venv
WORKDIR /app
COPY requirements.lock ./
RUN /opt/venv/bin/pip install --require-hashes -r requirements.lock
COPY . .
RUN /opt/venv/bin/pip install --no-deps --no-build-isolation -e . && /opt/venv/bin/python -m compileall -q /app

FROM python:3.11-slim-bookworm
# git: the runner works in worktrees. bubblewrap: what it runs there sees nothing else.
RUN apt-get update && apt-get install -y --no-install-recommends git bubblewrap && rm -rf /var/lib/apt/lists/* \
    && useradd --uid 10001 --create-home --shell /usr/sbin/nologin neotoma \
    && install -d -o neotoma -g neotoma -m 0700 /data /repositories
COPY --from=build /opt/venv /opt/venv
COPY --from=build /app /app
ENV PATH=/opt/venv/bin:$PATH PYTHONUNBUFFERED=1 PYTHONDONTWRITEBYTECODE=1 \
    DJANGO_SETTINGS_MODULE=neotoma.settings NEOTOMA_DATA=/data NEOTOMA_LOG_FORMAT=json
WORKDIR /app
USER 10001:10001
VOLUME /data
EXPOSE 8000
CMD ["python", "-m", "granian", "--interface", "wsgi", "--host", "0.0.0.0", "--port", "8000", "--workers", "2", \
     "--blocking-threads", "4", "--respawn-failed-workers", "--no-access-log", "--no-ws", "neotoma.wsgi:application"]
