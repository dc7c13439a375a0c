"""A Python client over REST. Needs `requests` only: no Django, no database, so daemons elsewhere may use it."""

from __future__ import annotations

import json
import time
import uuid
from collections.abc import Callable, Iterator, Mapping
from typing import Any
from urllib.parse import quote

import requests

ATTEMPTS = 4
LONGEST_WAIT_S = 30.0
WAITS = (429, 503)
"""Statuses that say: nothing was done, come again."""


class ClientRefusal(Exception):
    """The instance said no. `status` is HTTP's; the rest is the body's."""

    def __init__(self, status: int, body: Mapping[str, Any]) -> None:
        self.status = status
        self.error_code = str(body.get("error_code", "UNREADABLE_ANSWER"))
        self.message = str(body.get("message", ""))
        self.hint = str(body.get("hint", ""))
        self.details: dict[str, Any] = dict(body.get("details") or {})
        self.request_id = str(body.get("request_id", ""))
        super().__init__(f"{self.error_code} ({status}): {self.message}" + (f" {self.hint}" if self.hint else ""))

    def body(self) -> dict[str, Any]:
        names = ("error_code", "message", "hint", "details", "request_id")
        return {name: getattr(self, name) for name in names}


class Unreachable(Exception):
    """No answer after every attempt; whether a write without an idempotency key was done is unknown."""


class Client:
    """Calls operations by name. Reads the manifest once, to know where each of them is mounted.

    `token`: an API token; `guest_token`: the grant on one thread, used when there is no API token.
    `timeout` in seconds for each attempt. `wait` sleeps; it is given seconds.
    """

    def __init__(
        self,
        base_url: str,
        token: str | None = None,
        guest_token: str | None = None,
        *,
        timeout: float = 30.0,
        wait: Callable[[float], None] = time.sleep,
    ) -> None:
        self.base_url, self.timeout, self._wait = base_url.rstrip("/"), timeout, wait
        self._http = requests.Session()
        credential = token or guest_token
        if credential:
            self._http.headers["Authorization"] = f"Bearer {credential}"
        self._operations: dict[str, dict[str, Any]] | None = None

    @property
    def operations(self) -> dict[str, dict[str, Any]]:
        """By name, what the instance's manifest says of each operation."""
        if self._operations is None:
            found = self._send("GET", "/api/manifest", safe=True)["operations"]
            self._operations = {entry["name"]: entry for entry in found}
        return self._operations

    def call(self, name: str, /, **arguments: Any) -> dict[str, Any]:
        """The operation's result. Raises `ClientRefusal` and `Unreachable`.

        A create gets an idempotency key if it has none, and every attempt uses the same one.
        """
        entry = self.operations.get(name)
        if entry is None:
            raise ClientRefusal(404, {"error_code": "UNKNOWN_OPERATION", "message": f"There is no operation {name}."})
        given = dict(arguments)
        keyed = "idempotency_key" in entry["parameters"]
        if keyed:
            given.setdefault("idempotency_key", str(uuid.uuid4()))
        method = entry["rest"]["method"]
        path, rest = _bind(entry["rest"]["path"], given)
        safe = keyed or entry["effect"] == "read"
        if method in ("GET", "DELETE"):
            return self._send(method, path, safe=safe, params=_query(rest))
        return self._send(method, path, safe=safe, json=rest)

    def pages(self, name: str, /, **arguments: Any) -> Iterator[dict[str, Any]]:
        """Every page of a list, in order."""
        cursor: str | None = None
        while True:
            page = self.call(name, **{**arguments, "cursor": cursor} if cursor else arguments)
            yield page
            cursor = page.get("next_cursor")
            if not cursor:
                return

    def submit_issue(self, title: str, body: str, **more: Any) -> dict[str, Any]:
        """File an issue; the answer holds the guest token of its thread."""
        return self.call("submit_issue", title=title, body=body, **more)

    def add_issue_message(self, issue: int | str, body: str, **more: Any) -> dict[str, Any]:
        """Answer on an issue's thread; `issue` is its number or entity id."""
        return self.call("add_issue_message", **_issue(issue), body=body, **more)

    def get_issue_status(self, issue: int | str, **more: Any) -> dict[str, Any]:
        """State and thread of an issue; `issue` is its number or entity id."""
        return self.call("get_issue_status", **_issue(issue), **more)

    def _send(self, method: str, path: str, *, safe: bool, **content: Any) -> dict[str, Any]:
        """One request, repeated while that is harmless. `safe`: a repeat cannot do a thing twice."""
        failure, pause = "", 0.0
        for attempt in range(ATTEMPTS):
            if pause:
                self._wait(pause)
            pause = 0.5 * 2**attempt
            try:
                response = self._http.request(
                    method, self.base_url + path, timeout=self.timeout, allow_redirects=False, **content
                )
            except (requests.ConnectionError, requests.Timeout) as error:
                failure = type(error).__name__
                if not safe:
                    break
                continue
            if response.status_code not in WAITS or attempt == ATTEMPTS - 1:
                return _answer(response)
            pause = _retry_after(response, pause)
        raise Unreachable(f"{self.base_url} does not answer: {failure}.")


def _answer(response: requests.Response) -> dict[str, Any]:
    try:
        body = response.json()
    except ValueError:
        body = None
    if response.status_code < 300 and isinstance(body, dict):
        return body
    known = body if isinstance(body, dict) else {"message": "The answer is not a JSON object."}
    raise ClientRefusal(response.status_code, known)


def _retry_after(response: requests.Response, otherwise: float) -> float:
    text = response.headers.get("Retry-After", "")
    return min(float(text), LONGEST_WAIT_S) if text.isascii() and text.isdigit() else otherwise


def _bind(path: str, arguments: Mapping[str, Any]) -> tuple[str, dict[str, Any]]:
    """The path with its placeholders filled, and the arguments that are left for query or body."""
    left, parts = dict(arguments), []
    for part in path.split("/"):
        if not part.startswith("{"):
            parts.append(part)
            continue
        name = part[1:-1]
        stands_for = next((n for n in ("issue_number", "entity_id") if n in left), name) if name == "issue" else name
        if stands_for not in left:
            raise ClientRefusal(422, {"error_code": "VALIDATION_FAILED", "message": f"{stands_for}: is missing."})
        parts.append(quote(str(left.pop(stands_for)), safe=""))
    return "/".join(parts), left


def _query(arguments: Mapping[str, Any]) -> dict[str, str]:
    """Texts as they are, the rest as JSON; an absent value is left out, for a query string has no null."""
    return {
        name: value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
        for name, value in arguments.items()
        if value is not None
    }


def _issue(issue: int | str) -> dict[str, int | str]:
    return {"issue_number": issue} if isinstance(issue, int) else {"entity_id": issue}
