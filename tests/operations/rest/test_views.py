"""What the world sees of an operation over REST."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.utils import timezone

from neotoma.access import bootstrap
from neotoma.access.models import Agent, ApiToken
from neotoma.operations.json import MAX_BYTES
from neotoma.operations.models import Call
from tests.operations.rest.conftest import Api, client


def test_a_read_binds_its_query(agent: Api) -> None:
    answer = agent.send("GET", 'toys?tags=a&tags=b&limit=7&open=true&size={"width":1,"height":2}&order=desc')
    assert answer.status_code == 200
    assert answer.json()["given"] == {
        "tags": ["a", "b"],
        "limit": 7,
        "open": True,
        "size": {"width": 1, "height": 2},
        "order": "desc",
    }
    assert answer.json()["role"] == "agent"


def test_a_write_answers_its_status_and_is_kept_by_nobody(agent: Api) -> None:
    answer = agent.send("POST", "toys", {"name": "ball", "note": None})
    assert (answer.status_code, answer.json()["given"]) == (201, {"name": "ball", "note": None})
    assert answer["Cache-Control"] == "no-store" and "ETag" not in answer


def test_the_header_is_the_idempotency_key(agent: Api) -> None:
    first = agent.send("POST", "toys", {"name": "ball"}, Idempotency_Key="k1")
    again = agent.send("POST", "toys", {"name": "ball", "idempotency_key": "k1"})
    other = agent.send("POST", "toys", {"name": "cube"}, Idempotency_Key="k1")
    torn = agent.send("POST", "toys", {"name": "ball", "idempotency_key": "k2"}, Idempotency_Key="k1")
    assert not first.json()["replayed"] and again.json()["replayed"]
    assert (other.status_code, other.json()["error_code"]) == (409, "IDEMPOTENCY_MISMATCH")
    assert torn.status_code == 422 and torn.json()["details"]["fields"][0]["path"] == "idempotency_key"
    assert Call.objects.count() == 1


def test_a_read_without_a_key_ignores_the_header(agent: Api) -> None:
    assert agent.send("GET", "toys", Idempotency_Key="k1").status_code == 200


def test_the_path_binds_number_entity_and_name(agent: Api) -> None:
    by_number = agent.send("POST", "toys/12/remarks", {"body": "b"})
    by_id = agent.send("POST", "toys/ent_00/remarks", {"body": "b"})
    assert by_number.json()["given"] == {"issue_number": 12, "body": "b"}
    assert by_id.json()["given"] == {"entity_id": "ent_00", "body": "b"}
    assert agent.send("GET", "toys/red%20ball").json()["given"] == {"name": "red ball"}


def test_what_the_body_repeats_of_the_path_must_agree(agent: Api) -> None:
    agreed = agent.send("POST", "toys/12/remarks", {"body": "b", "issue_number": 12})
    torn = agent.send("POST", "toys/12/remarks", {"body": "b", "issue_number": 13})
    assert (agreed.status_code, torn.status_code) == (200, 422)


def test_fixed_words_win_over_placeholders(agent: Api) -> None:
    assert agent.send("GET", "toys/hidden").json()["given"] == {}
    assert agent.send("GET", "toys/all").json()["total"] == 5


def test_an_unchanged_read_is_a_304(agent: Api) -> None:
    first = agent.send("GET", "toys/all")
    same = agent.send("GET", "toys/all", If_None_Match=f'"x", W/{first["ETag"]}')
    other = agent.send("GET", "toys/all?limit=1", If_None_Match=first["ETag"])
    assert (same.status_code, same.content, same["ETag"]) == (304, b"", first["ETag"])
    assert (other.status_code, other["Vary"]) == (200, "Authorization")
    assert other["ETag"] != first["ETag"]


def test_head_has_the_headers_of_get(agent: Api) -> None:
    head, get = agent.send("HEAD", "toys/all"), agent.send("GET", "toys/all")
    assert (head.status_code, head.content, head["ETag"]) == (200, b"", get["ETag"])


@pytest.mark.parametrize("method", ["PUT", "PATCH", "OPTIONS", "TRACE"])
def test_other_methods_are_named(agent: Api, method: str) -> None:
    answer = agent.send(method, "toys")
    assert answer.status_code == 405 and answer["Allow"] == "GET, POST"
    assert answer.json()["error_code"] == "METHOD_NOT_ALLOWED"
    assert answer.json()["details"] == {"allow": ["GET", "POST"]}


@pytest.mark.parametrize(
    ("how", "status", "code"),
    [
        ("missing", 404, "NOT_FOUND"),
        ("conflict", 409, "CONFLICT"),
        ("managed", 403, "ERR_MANAGED_TYPE"),
        ("limit", 429, "RATE_LIMITED"),
        ("database", 503, "BUSY"),
        ("bug", 500, "INTERNAL"),
    ],
)
def test_every_failure_has_one_shape_and_leaks_nothing(anyone: Api, how: str, status: int, code: str) -> None:
    answer = anyone.send("POST", "toys/break", {"how": how}, X_Request_Id="request-0001")
    body = answer.json()
    assert answer.status_code == status
    assert sorted(body) == ["details", "error_code", "hint", "message", "request_id"]
    assert (body["error_code"], body["request_id"], answer["X-Request-Id"]) == (code, "request-0001", "request-0001")
    assert b"hunter2" not in answer.content


def test_an_unexpected_failure_is_logged_with_its_trace(anyone: Api, caplog: pytest.LogCaptureFixture) -> None:
    anyone.send("POST", "toys/break", {"how": "bug"})
    assert any("request failed" in record.getMessage() and "hunter2" in str(record.msg) for record in caplog.records)


def test_limits_and_business_say_when_to_come_again(anyone: Api) -> None:
    limited = anyone.send("POST", "toys/break", {"how": "limit"})
    busy = anyone.send("POST", "toys/break", {"how": "database"})
    names = ("Retry-After", "RateLimit-Limit", "RateLimit-Remaining", "RateLimit-Reset")
    assert [limited[name] for name in names] == ["7", "3", "0", "7"]
    assert busy["Retry-After"] == "1" and "RateLimit-Limit" not in busy


def test_a_limit_is_counted_down(anyone: Api) -> None:
    answers = [anyone.send("GET", "toys/count") for _ in range(3)]
    assert [answer.status_code for answer in answers] == [200, 200, 429]
    assert [answer["RateLimit-Remaining"] for answer in answers] == ["1", "0", "0"]
    assert all(answer["RateLimit-Limit"] == "2" and 0 < int(answer["RateLimit-Reset"]) <= 3601 for answer in answers)
    assert "RateLimit-Limit" not in anyone.send("GET", "toys")


def test_no_credential_is_told_how_to_set_one(anyone: Api) -> None:
    answer = anyone.send("POST", "toys", {"name": "ball"})
    assert (answer.status_code, answer.json()["error_code"]) == (401, "AUTH_REQUIRED")
    assert "Bearer" in answer.json()["hint"]
    header = answer["WWW-Authenticate"]
    assert header.startswith("Bearer ") and "error=" not in header
    assert 'resource_metadata="http://127.0.0.1:8000/.well-known/oauth-protected-resource"' in header


@pytest.mark.parametrize("where", ["toys", "manifest", "openapi.json", "docs", "nowhere"])
@pytest.mark.parametrize(
    "header", ["Bearer nonsense", "Basic dTpw", "Bearer", "", "Bearer  two", "Bearer gst_unknown", "bearer ntk_\x7f"]
)
def test_what_is_presented_and_does_not_count_is_never_anonymous(anyone: Api, where: str, header: str) -> None:
    answer = anyone.send("GET", where, Authorization=header)
    assert answer.status_code == 401
    assert answer.json()["error_code"] in ("TOKEN_INVALID", "GUEST_TOKEN_INVALID")
    assert 'error="invalid_token"' in answer["WWW-Authenticate"]


def test_a_bad_header_is_not_mended_by_an_argument(anyone: Api) -> None:
    remark = {"body": "b", "guest_access_token": "gst_also_bad"}
    answer = anyone.send("POST", "toys/1/remarks", remark, Authorization="Bearer nonsense")
    assert answer.json()["error_code"] == "TOKEN_INVALID"


def test_a_bad_guest_token_among_the_arguments_never_falls_back(agent: Api) -> None:
    in_body = agent.send("POST", "toys/1/remarks", {"body": "b", "guest_access_token": "gst_x"})
    in_query = agent.send("POST", "toys/1/remarks?guest_access_token=gst_x", {"body": "b"})
    for answer in (in_body, in_query):
        assert (answer.status_code, answer.json()["error_code"]) == (401, "GUEST_TOKEN_INVALID")
        assert b"gst_x" not in answer.content


def test_ended_tokens_say_why(mounted: None, db: None) -> None:
    agent = Agent.objects.create(name="wasp")
    past = timezone.now() - timedelta(seconds=1)
    expired = bootstrap.mint(agent=agent, scopes=["read"], expires_at=past)
    revoked = bootstrap.mint(agent=agent, scopes=["read"])
    ApiToken.objects.filter(expires_at=None).update(revoked_at=past)
    codes = [Api(token).send("GET", "toys").json()["error_code"] for token in (expired, revoked)]
    assert codes == ["TOKEN_EXPIRED", "TOKEN_REVOKED"]


def test_a_scope_that_is_missing_is_named(mounted: None, db: None) -> None:
    token = bootstrap.mint(agent=Agent.objects.create(name="moth"), scopes=["read"])
    answer = Api(token).send("POST", "toys", {"name": "ball"})
    assert (answer.status_code, answer.json()["error_code"]) == (403, "INSUFFICIENT_SCOPE")
    assert answer.json()["details"]["any_of"] == ["write"]
    assert 'error="insufficient_scope", scope="write"' in answer["WWW-Authenticate"]


@pytest.mark.parametrize(
    ("body", "status", "path"),
    [
        (b"{", 400, None),
        (b"[1]", 400, None),
        (b'"text"', 400, None),
        (b'{"name": NaN}', 400, "name"),
        (b'{"name": "a", "name": "b"}', 400, "name"),
        (b'{"name": "\xff"}', 400, None),
        (b'{"name": "a\\u0000b"}', 422, "name"),
        (b'{"name": "ok \\ud83d"}', 422, "name"),
        (b'{"name": "x", "tags": [1]}', 422, "tags.0"),
        (b'{"name": "x", "nme": 1}', 422, "nme"),
        (b"{}", 422, "name"),
        (b"", 422, "name"),
    ],
)
def test_bodies_that_cannot_be_taken_are_refused_by_path(
    agent: Api, body: bytes, status: int, path: str | None
) -> None:
    answer = agent.send("POST", "toys", body)
    assert answer.status_code == status
    paths = [field["path"] for field in answer.json()["details"].get("fields", [])]
    assert paths == ([path] if path else [])


@pytest.mark.parametrize("where", ["toys/a%00b", "toys?cursor=%00", "toys?unknown=1", "toys?limit=x", "toys?size=[1]"])
def test_paths_and_queries_that_cannot_be_taken_are_refused(agent: Api, where: str) -> None:
    answer = agent.send("GET", where)
    assert answer.status_code == 422 and len(answer.json()["details"]["fields"]) == 1


def test_a_large_body_is_refused(agent: Api) -> None:
    answer = agent.send("POST", "toys", b'{"name": "' + b"x" * MAX_BYTES + b'"}')
    assert (answer.status_code, answer.json()["error_code"]) == (413, "PAYLOAD_TOO_LARGE")


def test_a_body_without_a_length_is_not_taken_for_none(agent: Api) -> None:
    answer = client().post(
        "/api/toys",
        {"name": "x"},
        content_type="application/json",
        headers={"Authorization": f"Bearer {agent.token}", "Transfer-Encoding": "chunked"},
        CONTENT_LENGTH="",
    )
    assert (answer.status_code, answer.json()["error_code"]) == (411, "LENGTH_REQUIRED")


def test_only_json_is_read_and_written(agent: Api) -> None:
    form = client().post("/api/toys", {"name": "x"}, headers={"Authorization": f"Bearer {agent.token}"})
    page = agent.send("GET", "toys", Accept="application/xml")
    assert (form.status_code, form.json()["error_code"]) == (415, "UNSUPPORTED_MEDIA_TYPE")
    assert (page.status_code, page.json()["error_code"]) == (406, "NOT_ACCEPTABLE")


@pytest.mark.parametrize("method", ["GET", "POST", "PUT", "PATCH", "DELETE"])
def test_unknown_paths_have_the_same_shape(anyone: Api, method: str) -> None:
    answer = anyone.send(method, "nowhere/at/all")
    assert (answer.status_code, answer.json()["error_code"]) == (404, "NOT_FOUND")


def test_an_operation_without_a_description_answers_all_the_same(agent: Api) -> None:
    assert agent.send("GET", "toys/hidden").status_code == 200
    names = {entry["name"] for entry in agent.send("GET", "manifest").json()["operations"]}
    assert "make_toy" in names and "hidden_toy" not in names
