"""Commands, here and on another instance."""

from __future__ import annotations

import io
import json
from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from neotoma.access import bootstrap
from neotoma.access.authenticate import from_api_token
from neotoma.access.models import Agent, ApiToken
from neotoma.operations.models import AuditEntry
from tests.operations.cli.conftest import Run
from tests.support.fake_instance import instance


def _given(answer: tuple[int, str, str]) -> Any:
    code, out, err = answer
    assert (code, err) == (0, "")
    return json.loads(out)["given"]


def test_flags_become_arguments(neotoma: Run) -> None:
    found = neotoma("find_toys", "--json", "--tags", "a", "--tags", "b", "--limit", "3", "--open", "true")
    assert _given(found) == {"tags": ["a", "b"], "limit": 3, "open": True}
    assert _given(neotoma("find_toys", "--json", "--size", '{"width": 1, "height": 2}')) == {
        "size": {"width": 1, "height": 2}
    }


def test_all_arguments_at_once(neotoma: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = '{"name": "ball", "note": null, "tags": ["a"]}'
    expected = {"name": "cube", "note": None, "tags": ["a"]}
    assert _given(neotoma("make_toy", "--json", "--arguments", whole, "--name", "cube")) == expected
    monkeypatch.setattr("sys.stdin", io.StringIO(whole))
    assert _given(neotoma("make_toy", "--json", "--arguments", "-"))["name"] == "ball"


def test_the_caller_is_this_installation_and_audited(neotoma: Run) -> None:
    code, out, _ = neotoma("make_toy", "--json", "--name", "ball")
    row = AuditEntry.objects.get()
    assert code == 0 and json.loads(out)["role"] == "operator"
    assert (row.operation, row.surface, row.actor_key, row.request_id) == (
        "make_toy",
        "cli",
        "local",
        json.loads(out)["request_id"],
    )


def test_a_token_calls_with_its_own_rights(neotoma: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    token = bootstrap.mint(agent=Agent.objects.create(name="ant"), scopes=["read"])
    assert json.loads(neotoma("find_toys", "--json", "--token", token)[1])["role"] == "agent"
    monkeypatch.setenv("NEOTOMA_TOKEN", token)
    code, out, err = neotoma("make_toy", "--name", "ball")
    assert (code, out) == (1, "") and err.startswith("INSUFFICIENT_SCOPE: ")


def test_a_refusal_is_one_line_or_json(neotoma: Run) -> None:
    code, out, err = neotoma("break_toy", "--how", "managed")
    assert (code, out, err) == (1, "", "ERR_MANAGED_TYPE: Not here. Use make_toy.\n")
    code, out, err = neotoma("break_toy", "--how", "limit", "--json")
    assert (code, out) == (1, "")
    assert json.loads(err)["details"] == {"limit": 3, "retry_after": 7} and json.loads(err)["request_id"]


def test_a_flag_that_cannot_be_taken_is_refused_by_name(neotoma: Run) -> None:
    assert "limit: " in neotoma("find_toys", "--limit", "many")[2]
    assert "size: is not a JSON object" in neotoma("find_toys", "--size", "big")[2]
    assert "open: is given more than once" in neotoma("find_toys", "--open", "1", "--open", "0")[2]


def test_people_read_a_table(neotoma: Run) -> None:
    assert neotoma("list_toys", "--limit", "2")[1] == "next_cursor: 2\ntotal: 5\ntotal_capped: false\n\n" + (
        "toys\nname\ntoy 0\ntoy 1\n"
    )


@pytest.mark.parametrize("argv", [(), ("no_toy",), ("make_toy", "--shape", "round"), ("issues",), ("tokens",)])
def test_misuse_is_told_with_exit_code_2(neotoma: Run, argv: tuple[str, ...]) -> None:
    with pytest.raises(SystemExit) as ended:
        neotoma(*argv)
    assert ended.value.code == 2


def test_another_instance_is_called_by_its_address(neotoma: Run) -> None:
    with instance((201, {}, {"made": True})) as found:
        code, out, _ = neotoma("make_toy", "--name", "ball", "--url", found.url, "--token", "ntk_x", "--json")
    assert (code, json.loads(out)) == (0, {"made": True})
    assert found.asked[0]["authorization"] == "Bearer ntk_x" and found.asked[0]["body"]["name"] == "ball"
    assert AuditEntry.objects.count() == 0


def test_the_refusal_of_another_instance_is_printed(neotoma: Run) -> None:
    with instance((404, {}, {"error_code": "NOT_FOUND", "message": "No."})) as found:
        code, _, err = neotoma("find_toys", "--url", found.url)
    assert (code, err) == (1, "NOT_FOUND: No.\n")


def test_a_minted_token_works_and_is_shown_once(neotoma: Run) -> None:
    code, out, _ = neotoma("tokens", "mint", "--agent", "ant", "--scope", "read", "--scope", "write", "--json")
    made = json.loads(out)
    assert code == 0 and from_api_token(made["token"]).actor.name == "ant"
    assert (made["scopes"], made["expires_at"]) == (["read", "write"], "never")
    assert made["token"] not in str(list(ApiToken.objects.values()))


def test_a_token_can_end(neotoma: Run) -> None:
    neotoma("tokens", "mint", "--agent", "ant", "--scope", "read", "--days", "2")
    ends = ApiToken.objects.get().expires_at
    assert ends is not None and timedelta(days=1) < ends - timezone.now() < timedelta(days=2)


def test_unknown_scopes_make_no_token(neotoma: Run) -> None:
    code, _, err = neotoma("tokens", "mint", "--agent", "ant", "--scope", "everything")
    assert code == 1 and "everything" in err
    assert not Agent.objects.exists() and not ApiToken.objects.exists()
