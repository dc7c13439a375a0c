"""A load client of its own process: keep-alive connections to /mcp, one thread each; latencies out as JSON.

Run as `python -m benchmarks.mcp_client` with a JSON job on standard input:
`{"url", "token", "workload", "clients", "calls", "context"}`; prints `{"seconds", "latencies_ms", "errors"}`.
"""

from __future__ import annotations

import http.client
import json
import sys
import threading
import time
import uuid
from collections.abc import Callable
from typing import Any
from urllib.parse import urlsplit

Arguments = dict[str, Any]

CALL = "store(entity_type='task', due_date='2026-04-30')"
BODY = f"The call below drops a field.\n\n```\n{CALL}\n```\n\nExpected the field back."


def submit_issue(context: Arguments) -> Arguments:
    return {
        "title": f"store drops due_date {uuid.uuid4().hex[:8]}",
        "body": BODY,
        "reporter_app_version": "1.2.3",
        "entity_ids_to_link": context["links"],
        "idempotency_key": uuid.uuid4().hex,
    }


def store(context: Arguments) -> Arguments:
    entity = {"entity_type": "task", "title": f"task {uuid.uuid4().hex}", "status": "open", "effort": 3}
    return {"entities": [entity], "idempotency_key": uuid.uuid4().hex}


def store_100(context: Arguments) -> Arguments:
    entities = [{"entity_type": "task", "title": f"task {uuid.uuid4().hex}", "status": "open"} for _ in range(100)]
    return {"entities": entities, "idempotency_key": uuid.uuid4().hex}


def get_issue_status(context: Arguments) -> Arguments:
    return {"issue_number": context["issue"], "guest_access_token": context["guest"]}


def add_issue_message(context: Arguments) -> Arguments:
    return {"issue_number": context["issue"], "body": "Seen again on this build.", "reporter_app_version": "1.2.3"}


def list_20(context: Arguments) -> Arguments:
    return {"entity_type": "grown", "limit": 20}


def search(context: Arguments) -> Arguments:
    return {"entity_type": "grown", "search": "report", "limit": 20}


WORKLOADS: dict[str, tuple[str, Callable[[Arguments], Arguments]]] = {
    "submit_issue": ("submit_issue", submit_issue),
    "store": ("store", store),
    "store_100": ("store", store_100),
    "get_issue_status": ("get_issue_status", get_issue_status),
    "get_issue_status over REST": ("GET /api/issues/{issue}", get_issue_status),
    "add_issue_message": ("add_issue_message", add_issue_message),
    "list_20": ("retrieve_entities", list_20),
    "search": ("retrieve_entities", search),
}


class Connection:
    """One keep-alive connection that calls tools."""

    def __init__(self, url: str, token: str) -> None:
        parts = urlsplit(url)
        self._path = parts.path
        self._http = http.client.HTTPConnection(parts.hostname or "127.0.0.1", parts.port, timeout=60)
        self._headers = {
            "Content-Type": "application/json",
            "Accept": "application/json, text/event-stream",
            "MCP-Protocol-Version": "2025-11-25",
            "Authorization": f"Bearer {token}",
        }

    def call(self, tool: str, arguments: Arguments) -> Arguments:
        """The tool's structured result; raises RuntimeError on any refusal."""
        params = {"name": tool, "arguments": arguments}
        message = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}
        self._http.request("POST", self._path, json.dumps(message).encode(), self._headers)
        response = self._http.getresponse()
        payload = json.loads(response.read())
        result = payload.get("result") or {}
        if response.status != 200 or result.get("isError") or "structuredContent" not in result:
            raise RuntimeError(f"{tool}: HTTP {response.status} {str(payload)[:300]}")
        answer: Arguments = result["structuredContent"]
        return answer

    def read(self, path: str) -> None:
        """GET over REST; raises RuntimeError when it is not answered."""
        self._http.request("GET", path, headers={"Authorization": self._headers["Authorization"]})
        response = self._http.getresponse()
        if response.read() == b"" or response.status != 200:
            raise RuntimeError(f"{path}: HTTP {response.status}")


def run(job: Arguments) -> Arguments:
    """Make `calls` calls over `clients` connections at once."""
    tool, arguments = WORKLOADS[job["workload"]]
    latencies: list[float] = []
    errors: list[str] = []

    def work(count: int) -> None:
        connection = Connection(job["url"], job["token"])
        for _ in range(count):
            prepared, started = arguments(job["context"]), time.perf_counter()
            try:
                if tool.startswith("GET "):
                    connection.read(tool.removeprefix("GET ").format(**job["context"]))
                else:
                    connection.call(tool, prepared)
            except (RuntimeError, OSError) as error:
                errors.append(str(error)[:200])
                continue
            latencies.append((time.perf_counter() - started) * 1000)

    threads = [threading.Thread(target=work, args=(job["calls"] // job["clients"],)) for _ in range(job["clients"])]
    started = time.perf_counter()
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return {"seconds": time.perf_counter() - started, "latencies_ms": latencies, "errors": errors[:5]}


if __name__ == "__main__":
    print(json.dumps(run(json.load(sys.stdin))))
