"""Typed reads of the environment."""

import pytest

from neotoma.environment import BadEnvironment, Environment, database


@pytest.mark.parametrize(("raw", "expected"), [("1", True), ("YES", True), ("off", False), ("", True)])
def test_a_flag_is_a_yes_a_no_or_the_default(raw: str, expected: bool) -> None:
    assert Environment({"X": raw}).flag("X", default=True) is expected


@pytest.mark.parametrize("raw", ["maybe", "2", "y es"])
def test_a_flag_that_is_neither_names_its_variable(raw: str) -> None:
    with pytest.raises(BadEnvironment, match="NEOTOMA_DEBUG"):
        Environment({"NEOTOMA_DEBUG": raw}).flag("NEOTOMA_DEBUG", default=False)


@pytest.mark.parametrize("raw", ["0", "91", "-1", "1e1", "٣", "ten"])
def test_a_number_outside_its_range_is_refused(raw: str) -> None:
    with pytest.raises(BadEnvironment, match="from 1 to 90"):
        Environment({"X": raw}).integer("X", 30, 1, 90)


@pytest.mark.parametrize(("raw", "expected"), [("1", 1), ("90", 90), (" ", 30)])
def test_a_number_within_its_range_is_taken(raw: str, expected: int) -> None:
    assert Environment({"X": raw}).integer("X", 30, 1, 90) == expected


def test_a_choice_outside_its_list_is_refused() -> None:
    with pytest.raises(BadEnvironment, match="private, public"):
        Environment({"X": "secret"}).choice("X", "private", ("private", "public"))


def test_words_are_trimmed_and_empty_ones_dropped() -> None:
    assert Environment({"X": " a.example, ,b.example,"}).words("X") == ("a.example", "b.example")


def test_a_postgresql_url_becomes_settings() -> None:
    found = database("postgresql://us%40er:p%2Fw@db.internal:5433/neo%20toma?sslmode=require")
    assert (found["USER"], found["PASSWORD"], found["HOST"], found["PORT"], found["NAME"]) == (
        *("us@er", "p/w", "db.internal", "5433", "neo toma"),
    )
    assert found["OPTIONS"]["sslmode"] == "require"
    assert "jit=off" in found["OPTIONS"]["options"]
    assert found["CONN_MAX_AGE"] is None


def test_a_url_has_the_last_word_on_how_postgresql_plans() -> None:
    assert database("postgresql://host/name?options=-cjit%3Don")["OPTIONS"]["options"] == "-cjit=on"


def test_sqlite_writers_queue_at_begin() -> None:
    found = database("sqlite:////var/lib/neotoma/db.sqlite3")
    assert found["NAME"] == "/var/lib/neotoma/db.sqlite3"
    assert found["OPTIONS"]["transaction_mode"] == "IMMEDIATE"
    assert "journal_mode=WAL" in found["OPTIONS"]["init_command"]


@pytest.mark.parametrize("url", ["mysql://root@localhost/db", "postgresql://localhost", "nothing"])
def test_another_database_is_refused(url: str) -> None:
    with pytest.raises(BadEnvironment, match="DATABASE_URL"):
        database(url)


def test_connections_outlive_a_request_on_both_databases() -> None:
    for url in ("sqlite:////var/lib/neotoma/db.sqlite3", "postgresql://db/neotoma"):
        assert database(url)["CONN_MAX_AGE"] is None
