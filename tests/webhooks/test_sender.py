"""One attempt over real sockets: what arrives, what is refused before a connection, and when it ends."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from tests.support.certificates import Certificate, certificate_for
from tests.support.receiver import Answer, receiver
from tests.support.targets import forbidden
from webhooks import connections
from webhooks.connections import Resolve
from webhooks.sender import HEAD_KEPT, RESPONSE_CAP, Outcome, send
from webhooks.signing import derive_secret, signed_headers, verify

BODY = b'{"event_id":"1"}'
PUBLIC = ("93.184.216.34", "2606:2800:21f::1")


def local(url: str, headers: dict[str, str] | None = None, **options: Any) -> Outcome:
    return send(url, BODY, headers or {}, allow_local=True, **options)


def answering(*addresses: str) -> Resolve:
    """A resolver with one answer."""
    return lambda host, port, **_: [(0, 0, 0, "", (address, port)) for address in addresses]


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Certificate:
    return certificate_for(tmp_path_factory.mktemp("tls"), "hooks.example", "localhost")


@pytest.fixture(autouse=True)
def _no_connection_outlives_its_test(certificate: Certificate) -> Iterator[None]:
    yield
    connections.pools(None).clear()
    connections.pools(str(certificate.certificate)).clear()


# --- What arrives --------------------------------------------------------------------------------------------------


def test_the_receiver_gets_the_signed_bytes_once() -> None:
    secret = derive_secret(b"k" * 32, "n")
    with receiver(body=b"thanks") as there:
        outcome = local(f"{there.url}?a=b", signed_headers("d-1", 1_800_000_000, BODY, [secret]))
    (request,) = there.requests
    assert (request.method, request.path, request.body) == ("POST", "/hook?a=b", BODY)
    assert request.headers["host"] == f"127.0.0.1:{there.port}"
    assert request.headers["content-type"] == "application/json"
    assert verify(request.headers, request.body, [secret], now=1_800_000_000)
    assert (outcome.state, outcome.http_status, outcome.error) == ("delivered", 200, None)
    assert outcome.response_head == "thanks"
    assert outcome.duration_ms >= 0


@pytest.mark.parametrize("status", [200, 201, 202, 204, 299])
def test_2xx_is_delivered(status: int) -> None:
    with receiver(status=status) as there:
        outcome = local(there.url)
    assert (outcome.state, outcome.http_status, outcome.error) == ("delivered", status, None)


@pytest.mark.parametrize("status", [400, 404, 410, 429, 500, 502, 503, 504])
def test_other_statuses_fail_after_one_request(status: int) -> None:
    with receiver(status=status, body=b"no", headers=(("Retry-After", "0"),)) as there:
        outcome = local(there.url)
    assert (outcome.state, outcome.http_status, outcome.error) == ("failed", status, "status")
    assert outcome.response_head == "no"
    assert len(there.requests) == 1


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_a_redirect_is_a_failure_and_is_not_followed(status: int) -> None:
    with receiver() as elsewhere, receiver(status=status, redirect=elsewhere.url) as there:
        outcome = local(there.url)
    assert (outcome.state, outcome.http_status, outcome.error) == ("failed", status, "redirect")
    assert len(there.requests) == 1
    assert elsewhere.connections == 0


def test_the_environment_has_no_say_in_the_way(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / ".netrc").write_text("machine 127.0.0.1 login user password word\n")
    monkeypatch.setenv("HOME", str(tmp_path))
    with receiver() as proxy, receiver() as there:
        for name in ("http_proxy", "https_proxy", "all_proxy"):
            monkeypatch.setenv(name, proxy.url)
            monkeypatch.setenv(name.upper(), proxy.url)
        outcome = local(there.url)
    assert outcome.state == "delivered"
    assert proxy.connections == 0
    assert "authorization" not in there.requests[0].headers


def test_cookies_are_not_kept() -> None:
    with receiver(headers=(("Set-Cookie", "a=b"),)) as there:
        assert [local(there.url).state for _ in range(2)] == ["delivered", "delivered"]
    assert not any("cookie" in request.headers for request in there.requests)


# --- Keep-alive ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("answer", [Answer(), Answer(body=b""), Answer(status=204), Answer(status=500)])
def test_a_connection_serves_again(answer: Answer) -> None:
    with receiver(answer=answer) as there:
        outcomes = [local(there.url) for _ in range(5)]
    assert len({outcome.state for outcome in outcomes}) == 1
    assert (len(there.requests), there.connections) == (5, 1)


def test_a_tls_connection_serves_again(certificate: Certificate) -> None:
    with receiver(tls=certificate.server_context()) as there:
        outcomes = [local(there.url, ca_file=str(certificate.certificate)) for _ in range(3)]
    assert [outcome.state for outcome in outcomes] == ["delivered"] * 3
    assert (len(there.requests), there.connections) == (3, 1)


def test_a_connection_that_was_idle_or_closed_is_not_used_again(monkeypatch: pytest.MonkeyPatch) -> None:
    with receiver(close=True) as there:
        assert [local(there.url).state for _ in range(3)] == ["delivered"] * 3
        assert there.connections == 3
    monkeypatch.setattr(connections, "IDLE_S", 0.0)
    with receiver() as there:
        assert [local(there.url).state for _ in range(3)] == ["delivered"] * 3
        assert there.connections == 3


def test_many_threads_send_at_once_and_a_slow_receiver_holds_only_its_own() -> None:
    with receiver() as quick, receiver(hang=True) as stuck, ThreadPoolExecutor(8) as threads:
        slow = threads.submit(local, stuck.url, deadline_s=60.0)
        stuck.wait_for(1)
        outcomes = list(threads.map(local, [quick.url] * 40))
        assert not slow.done()
        stuck.stopped.set()
        assert slow.result().error == "disconnected"
    assert {outcome.state for outcome in outcomes} == {"delivered"}
    assert len(quick.requests) == 40


# --- Where it may not go -------------------------------------------------------------------------------------------


def test_no_spelling_of_a_forbidden_target_reaches_a_listener() -> None:
    with receiver() as listener:
        for url in forbidden(listener.port):
            outcome = send(url, BODY, {}, allow_local=False, resolve=answering("127.0.0.1"))
            assert (outcome.state, outcome.http_status, outcome.response_head) == ("blocked_target", None, ""), url
    assert listener.connections == 0


@pytest.mark.parametrize("allow_local", [False, True])
@pytest.mark.parametrize(
    "addresses",
    [
        ("127.0.0.1",),
        ("::1",),
        ("10.0.0.1",),
        ("169.254.169.254",),
        ("::ffff:127.0.0.1",),
        ("64:ff9b::7f00:1",),
        ("fe80::1%lo",),
        (*PUBLIC, "127.0.0.1"),
        ("127.0.0.1", *PUBLIC),
        (*["8.8.8.8", "8.8.4.4"] * 6, "10.0.0.1"),
        (*(f"8.8.8.{n}" for n in range(20)), "127.0.0.1"),
    ],
)
def test_a_name_with_any_forbidden_address_is_blocked(addresses: tuple[str, ...], allow_local: bool) -> None:
    dialled = Dialled()
    outcome = send(
        "https://ok.example/", BODY, {}, allow_local=allow_local, resolve=answering(*addresses), dial=dialled
    )
    assert (outcome.state, outcome.error) == ("blocked_target", "address")
    assert dialled.addresses == []


def test_localhost_that_leads_elsewhere_is_blocked() -> None:
    dialled = Dialled()
    outcome = local("http://localhost:8000/", resolve=answering("127.0.0.1", "8.8.8.8"), dial=dialled)
    assert (outcome.state, outcome.error) == ("blocked_target", "address")
    assert dialled.addresses == []


def test_a_name_that_changes_its_address_never_reaches_loopback() -> None:
    with receiver() as listener:
        dialled = Dialled()
        for turn in range(1000):
            changing = Rebinding(PUBLIC[turn % 2], "127.0.0.1", starts=turn % 4 == 3)
            url = f"https://ok.example:{listener.port}/"
            outcome = send(url, BODY, {}, allow_local=False, resolve=changing, dial=dialled)
            assert changing.asked == 1
            assert outcome.error == ("address" if turn % 4 == 3 else "connect")
    assert listener.connections == 0
    assert set(dialled.addresses) == {(address, listener.port) for address in PUBLIC}
    assert len(dialled.addresses) == 750


def test_the_checked_address_is_dialled_and_the_name_stays_in_sni_and_host(certificate: Certificate) -> None:
    with receiver(tls=certificate.server_context()) as there:
        dialled = Dialled(via=there.port)
        outcome = send(
            "https://hooks.example/",
            BODY,
            {},
            allow_local=False,
            resolve=answering(PUBLIC[0]),
            dial=dialled,
            ca_file=str(certificate.certificate),
        )
    assert outcome.state == "delivered"
    assert dialled.addresses == [(PUBLIC[0], 443)]
    assert there.server_names == ["hooks.example"]
    assert there.requests[0].headers["host"] == "hooks.example"


@pytest.mark.parametrize("name", ["other.example", "hooks.example"])
def test_a_certificate_of_another_name_or_authority_fails(certificate: Certificate, name: str) -> None:
    trusted = str(certificate.certificate) if name == "other.example" else None
    with receiver(tls=certificate.server_context()) as there:
        outcome = send(
            f"https://{name}/",
            BODY,
            {},
            allow_local=False,
            resolve=answering(PUBLIC[0]),
            dial=Dialled(via=there.port),
            ca_file=trusted,
        )
    assert (outcome.state, outcome.error) == ("failed", "tls")
    assert there.requests == []


def test_the_next_checked_address_is_tried_before_anything_is_sent() -> None:
    with receiver() as there:
        outcome = local(f"http://localhost:{there.port}/", resolve=answering("127.9.9.9", "127.0.0.1"))
    assert outcome.state == "delivered"
    assert len(there.requests) == 1


# --- When it ends --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("answer", [Answer(hang=True), Answer(drip="head"), Answer(delay_s=60)])
def test_the_deadline_ends_a_receiver_that_hangs_or_drips(answer: Answer) -> None:
    with receiver(answer=answer) as there:
        outcome = local(there.url, deadline_s=0.5)
    assert (outcome.state, outcome.http_status, outcome.error) == ("failed", None, "timeout")
    assert len(there.requests) == 1


def test_the_deadline_ends_a_drip_over_tls(certificate: Certificate) -> None:
    with receiver(tls=certificate.server_context(), drip="head") as there:
        outcome = local(there.url, ca_file=str(certificate.certificate), deadline_s=0.5)
    assert (outcome.state, outcome.error) == ("failed", "timeout")
    assert len(there.requests) == 1


@pytest.mark.parametrize(("status", "state"), [(200, "delivered"), (500, "failed")])
def test_the_status_decides_though_the_body_drips_on(status: int, state: str) -> None:
    with receiver(status=status, drip="body") as there:
        outcome = local(there.url, deadline_s=0.5)
    assert (outcome.state, outcome.http_status) == (state, status)
    assert set(outcome.response_head) == {"."}
    assert len(outcome.response_head) < 200  # of the 300 that were on their way


def test_a_receiver_that_never_reads_cannot_hold_a_large_body() -> None:
    with socket.create_server(("127.0.0.1", 0)) as deaf:
        url = f"http://127.0.0.1:{deaf.getsockname()[1]}/"
        outcome = send(url, b"x" * 20_000_000, {}, allow_local=True, deadline_s=0.5)
    assert (outcome.state, outcome.error) == ("failed", "timeout")


def test_a_handshake_that_never_comes_ends_with_the_connect_time() -> None:
    with socket.create_server(("127.0.0.1", 0)) as deaf:
        outcome = local(f"https://127.0.0.1:{deaf.getsockname()[1]}/", connect_s=0.2)
    assert (outcome.state, outcome.error) == ("failed", "timeout")


def test_a_resolver_that_never_answers_ends_with_the_connect_time() -> None:
    over = threading.Event()

    def stuck(*_: Any, **__: Any) -> list[tuple[Any, ...]]:
        over.wait()
        return []

    outcome = send("https://ok.example/", BODY, {}, allow_local=False, resolve=stuck, connect_s=0.1)
    over.set()
    assert (outcome.state, outcome.error) == ("failed", "connect_timeout")


def test_a_large_answer_is_cut_and_its_connection_closed() -> None:
    with receiver(body=b"y" * (RESPONSE_CAP + 1)) as there:
        outcomes = [local(there.url) for _ in range(2)]
    assert [outcome.state for outcome in outcomes] == ["delivered"] * 2
    assert outcomes[0].response_head == "y" * HEAD_KEPT
    assert there.connections == 2


# --- What is recorded ----------------------------------------------------------------------------------------------


def unknown(*_: Any, **__: Any) -> list[tuple[Any, ...]]:
    raise socket.gaierror(socket.EAI_NONAME, "hunter2")


@pytest.mark.parametrize("resolve", [unknown, answering()])
def test_a_name_without_an_address_is_a_dns_failure(resolve: Resolve) -> None:
    outcome = send("https://ok.example/?key=hunter2", BODY, {}, allow_local=False, resolve=resolve)
    assert (outcome.state, outcome.error, outcome.response_head) == ("failed", "dns", "")


def test_a_closed_port_is_a_connect_failure() -> None:
    with socket.create_server(("127.0.0.1", 0)) as gone:
        port = gone.getsockname()[1]
    assert local(f"http://127.0.0.1:{port}/").error == "connect"


@pytest.mark.parametrize(
    ("raw", "error"),
    [
        (b"SSH-2.0-OpenSSH_9\r\n", "bad_response"),
        (b"HTTP/1.1 abc hunter2\r\n\r\n", "bad_response"),
        (b"HTTP/1.1 200 OK\r\n" + b"a: b\r\n" * 500, "bad_response"),
        (b"HTTP/1.1 200 OK\r\nContent-Length: 1, 2\r\n\r\nhunter2", "bad_response"),
    ],
)
def test_an_answer_that_is_not_http_is_named_by_our_own_word(raw: bytes, error: str) -> None:
    with receiver(raw=raw) as there:
        outcome = local(there.url)
    assert (outcome.state, outcome.error, outcome.response_head) == ("failed", error, "")


def test_a_receiver_that_hangs_up_is_a_failure() -> None:
    with receiver(hang=True) as there:
        there.stopped.set()
        outcome = local(there.url)
    assert (outcome.state, outcome.error) == ("failed", "disconnected")
    assert len(there.requests) == 1


def test_the_head_of_an_answer_is_text_that_any_database_keeps() -> None:
    with receiver(body=b"a\x00b\xff") as there:
        outcome = local(there.url)
    assert outcome.response_head == "a�b�"


@pytest.mark.parametrize("encoding", ["gzip", "br"])
def test_a_packed_answer_is_not_unpacked(encoding: str) -> None:
    with receiver(body=b"not really", headers=(("Content-Encoding", encoding),)) as there:
        outcome = local(there.url)
    assert (outcome.state, outcome.response_head) == ("delivered", "not really")


# --- Helpers -------------------------------------------------------------------------------------------------------


class Rebinding:
    """Answers one address first and another one from then on; `starts` begins with the second."""

    def __init__(self, first: str, then: str, *, starts: bool) -> None:
        self.first, self.then, self.starts, self.asked = first, then, starts, 0

    def __call__(self, host: str, port: int, **_: Any) -> list[tuple[Any, ...]]:
        self.asked += 1
        address = self.then if self.starts or self.asked > 1 else self.first
        return [(0, 0, 0, "", (address, port))]


class Dialled:
    """Keeps what was dialled. Loopback is really dialled; a public address is, at `via`, a server of the test."""

    def __init__(self, via: int | None = None) -> None:
        self.via, self.addresses = via, list[tuple[str, int]]()

    def __call__(self, address: str, port: int, seconds: float) -> socket.socket:
        self.addresses.append((address, port))
        if address not in PUBLIC:
            return connections.dial(address, port, seconds)
        if self.via is None:
            raise ConnectionRefusedError
        return connections.dial("127.0.0.1", self.via, seconds)
