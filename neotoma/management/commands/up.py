"""`manage.py up`: start everything that one machine needs, and keep it running."""

import os
import shutil
from typing import Any

from django.conf import settings
from django.core.management import call_command
from django.core.management.base import BaseCommand, CommandError
from django.db import connections

from neotoma.celery import app, use_broker
from neotoma.queues import broker_answers
from neotoma.supervisor import claims, identities
from neotoma.supervisor.broker import Broker, choose_broker, private_folder, redis_in_wheel, redis_on_path
from neotoma.supervisor.greeting import greeting
from neotoma.supervisor.probes import web_answers
from neotoma.supervisor.services import Sizes, broker_service, services, shared_environ
from neotoma.supervisor.supervisor import Supervisor

START_SECONDS = 180.0


class Command(BaseCommand):
    """Broker, web, workers and beat under one supervisor; Ctrl-C or SIGTERM stops them all."""

    help = "Start the broker, the web server, the workers and beat, and keep them running."
    requires_system_checks = ()

    def handle(self, *args: Any, **options: Any) -> None:
        """Run until told to stop. Exits with 2 when the port or the data folder is in use."""
        os.umask(0o077)  # the database and the queue hold what instance.json guards
        try:
            with claims.data_folder(settings.NEOTOMA_DATA):
                claims.check_port(settings.NEOTOMA_HOST, settings.NEOTOMA_PORT)
                self._run()
        except claims.Taken as taken:
            raise CommandError(str(taken), returncode=2) from taken

    def _run(self) -> None:
        broker = self._prepare_broker()
        data, port = settings.NEOTOMA_DATA, settings.NEOTOMA_PORT
        supervisor = Supervisor(shared_environ(os.environ, broker, data, settings.NEOTOMA_BASE_URL, port))
        supervisor.listen()
        try:
            supervisor.start(broker_service(broker))
            self._start(supervisor, broker)
            supervisor.watch()
        finally:
            supervisor.stop()
            self.stdout.write("stopped")

    def _prepare_broker(self) -> Broker:
        broker = choose_broker(os.environ, settings.NEOTOMA_DATA, redis_on_path(), redis_in_wheel())
        for folder in broker.folders:
            private_folder(folder)
        use_broker(app, broker.url)
        self.stdout.write(f"broker: {broker.summary}")
        self.stdout.flush()
        return broker

    def _start(self, supervisor: Supervisor, broker: Broker) -> None:
        """Database, identities and the other services, then the greeting; returns early when asked to stop."""
        if not supervisor.wait_until(lambda: broker_answers(app), START_SECONDS):
            return self._give_up(supervisor, f"the broker does not answer: {broker.summary}")
        call_command("migrate", interactive=False, verbosity=0)
        found = identities.prepare(settings.NEOTOMA_DATA / "instance.json", settings.NEOTOMA_BASE_URL)
        connections.close_all()
        fresh_metrics_folder()
        host, port, data = settings.NEOTOMA_HOST, settings.NEOTOMA_PORT, settings.NEOTOMA_DATA
        supervisor.start(services(host, port, data, sizes(), broker))
        if not supervisor.wait_until(lambda: web_answers(host, port), START_SECONDS):
            return self._give_up(supervisor, "the web server does not answer; its log is above")
        self.stdout.write(greeting(found, data / "instance.json", as_root=os.geteuid() == 0))
        self.stdout.flush()
        return None

    def _give_up(self, supervisor: Supervisor, why: str) -> None:
        if not supervisor.stopping:
            raise CommandError(why)


def sizes() -> Sizes:
    """The sizes that the settings ask for."""
    return Sizes(
        web_workers=settings.NEOTOMA_WEB_WORKERS,
        web_threads=settings.NEOTOMA_WEB_THREADS,
        worker_slots=settings.NEOTOMA_WORKER_SLOTS,
        webhook_threads=settings.NEOTOMA_WEBHOOK_THREADS,
        runner_slots=settings.NEOTOMA_RUNNER_SLOTS,
    )


def fresh_metrics_folder() -> None:
    """Counters of an earlier run would be added to those of this one."""
    folder = settings.NEOTOMA_DATA / "metrics"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(mode=0o700)
