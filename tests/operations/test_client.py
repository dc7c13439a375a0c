"""The client against small real servers."""

from __future__ import annotations

from typing import Any

import pytest

from neotoma.operations.client import Client, ClientRefusal, Unreachable
from tests.support.fake_instance import Answer, Instance, instance


def client(found: Instance, waits: list[float] | None = None, **more: Any) -> Client:
    made = Client(found.url, wait=(waits if waits is not None else []).append, **more)
    made._http.trust_env = False
    return made


def test_a_write_is_repeated_under_one_key() -> None:
    busy = (503, {"Retry-After": "2"}, {"error_code": "BUSY"})
    limited: Answer = (429, {}, {"error_code": "RATE_LIMITED"})
    waits: list[float] = []
    with instance(busy, limited, None, (201, {}, {"made": True})) as found:
        assert client(found, waits).call("make_toy", name="ball") == {"made": True}
    keys = {asked["body"]["idempotency_key"] for asked in found.asked}
    assert len(found.asked) == 4 and len(keys) == 1 and len(keys.pop()) == 36
    assert waits == [2.0, 1.0, 2.0]


def test_a_key_of_the_caller_is_kept() -> None:
    with instance((201, {}, {})) as found:
        client(found).call("make_toy", name="ball", idempotency_key="mine")
    assert found.asked[0]["body"] == {"name": "ball", "idempotency_key": "mine"}


def test_a_write_without_a_key_is_never_repeated_blindly() -> None:
    with instance(None) as found, pytest.raises(Unreachable):
        client(found).call("ping_toy", name="ball")
    assert len(found.asked) == 1


def test_what_was_surely_not_done_is_repeated_all_the_same() -> None:
    with instance((503, {}, {"error_code": "BUSY"}), (200, {}, {"pong": True})) as found:
        assert client(found).call("ping_toy", name="red ball/1") == {"pong": True}
    assert [asked["path"] for asked in found.asked] == ["/api/toys/red%20ball%2F1/ping"] * 2
    assert found.asked[0]["body"] == {}


def test_it_gives_up_with_the_last_refusal() -> None:
    busy: Answer = (503, {}, {"error_code": "BUSY", "message": "later"})
    with instance(*[busy] * 4) as found, pytest.raises(ClientRefusal) as refused:
        client(found).call("find_toys")
    assert (refused.value.status, refused.value.error_code, len(found.asked)) == (503, "BUSY", 4)


def test_a_refusal_carries_everything() -> None:
    body = {"error_code": "NOT_FOUND", "message": "No.", "hint": "Look.", "details": {"a": 1}, "request_id": "r"}
    with (
        instance((404, {}, body)) as found,
        pytest.raises(ClientRefusal, match=r"NOT_FOUND \(404\): No\. Look\.") as no,
    ):
        client(found).call("find_toys")
    assert no.value.body() == body


@pytest.mark.parametrize("answer", [(200, {}, b"<html>"), (200, {}, [1]), (302, {"Location": "/elsewhere"}, {})])
def test_what_is_not_an_answer_is_a_refusal(answer: tuple[int, dict[str, str], Any]) -> None:
    with instance(answer) as found, pytest.raises(ClientRefusal) as refused:
        client(found).call("find_toys")
    assert refused.value.status == answer[0] and len(found.asked) == 1


def test_arguments_of_a_read_go_into_the_query() -> None:
    with instance((200, {}, {})) as found:
        client(found).call("find_toys", tags=["a", "[b"], limit=3, open=True, size={"w": 1}, search="x", cursor=None)
    assert found.asked[0]["query"] == {
        "tags": ['["a", "[b"]'],
        "limit": ["3"],
        "open": ["true"],
        "size": ['{"w": 1}'],
        "search": ["x"],
    }


def test_null_in_a_body_stays() -> None:
    with instance((200, {}, {})) as found:
        client(found).call("make_toy", name=None)
    assert found.asked[0]["body"]["name"] is None


def test_pages_follow_the_cursor() -> None:
    with instance((200, {}, {"n": 1, "next_cursor": "c"}), (200, {}, {"n": 2})) as found:
        assert [page["n"] for page in client(found).pages("find_toys", tags=["a"])] == [1, 2]
    assert [asked["query"].get("cursor") for asked in found.asked] == [None, ["c"]]


@pytest.mark.parametrize(("issue", "path"), [(7, "/api/issues/7/messages"), ("ent_1", "/api/issues/ent_1/messages")])
def test_helpers_take_a_number_or_an_id(issue: int | str, path: str) -> None:
    with instance((201, {}, {})) as found:
        client(found).add_issue_message(issue, "still there", idempotency_key="k")
    assert found.asked[0]["path"] == path
    assert found.asked[0]["body"] == {"body": "still there", "idempotency_key": "k"}


def test_a_missing_path_argument_is_named_before_anything_is_sent() -> None:
    with instance() as found, pytest.raises(ClientRefusal, match="name: is missing"):
        client(found).call("ping_toy")
    assert found.asked == []


def test_an_unknown_operation_is_refused() -> None:
    with instance() as found, pytest.raises(ClientRefusal, match="UNKNOWN_OPERATION"):
        client(found).call("no_toy")
    assert found.asked == []


@pytest.mark.parametrize(
    ("given", "header"),
    [
        ({"token": "ntk_a"}, "Bearer ntk_a"),
        ({"guest_token": "gst_b"}, "Bearer gst_b"),
        ({"token": "ntk_a", "guest_token": "gst_b"}, "Bearer ntk_a"),
        ({}, None),
    ],
)
def test_credentials(given: dict[str, Any], header: str | None) -> None:
    with instance((200, {}, {})) as found:
        client(found, **given).call("find_toys")
    assert found.asked[0]["authorization"] == header


def test_nobody_there() -> None:
    with instance() as found:
        gone = client(found)
    with pytest.raises(Unreachable, match="does not answer"):
        gone.call("find_toys")
