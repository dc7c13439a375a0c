from __future__ import annotations

import pytest

from neotoma.submissions.signature import error_signature, normalised

PYTHON = """It broke:
Traceback (most recent call last):
  File "/home/ada/app/run.py", line 12, in main
    load("/tmp/x.json")
  File "/home/ada/app/loader.py", line {line}, in load
    raise ValueError(f"could not parse {{path}}")
ValueError: could not parse record {number} of '/tmp/{name}.json'
"""
NODE = (
    "TypeError: Cannot read properties of undefined (reading 'id')\n"
    "    at store (/srv/app/store.js:10:5)\n    at run (x.js:1:1)"
)
JAVA = 'Exception in thread "main" java.lang.IllegalStateException: bad 7\n\tat com.acme.Store.put(Store.java:41)'


def test_reports_of_one_failure_share_a_signature() -> None:
    first = error_signature(PYTHON.format(line=40, number=17, name="a"))
    second = error_signature("Same here.\n\n" + PYTHON.format(line=44, number=2, name="other"))
    assert first == second == "valueerror|could not parse record <n> of <value>|loader.py:load"


def test_other_frames_and_messages_differ() -> None:
    text = PYTHON.format(line=40, number=17, name="a")
    assert error_signature(text) != error_signature(text.replace("loader.py", "writer.py"))
    assert error_signature(text) != error_signature(text.replace("could not parse", "could not write"))


@pytest.mark.parametrize(
    ("text", "signature"),
    [
        (NODE, "typeerror|cannot read properties of undefined (reading <value>)|store.js:store"),
        (JAVA, "illegalstateexception|bad <n>|store.java:com.acme.store.put"),
        ("thread 'main' panicked at src/main.rs: index out of bounds", "panicked|src/main.rs: index out of bounds|"),
        ("The call answers ERR_STORE_RESOLUTION today", "err_store_resolution||"),
        ("connect ECONNREFUSED 127.0.0.1:5432", "econnrefused||"),
        ("> `sqlite3.OperationalError: no such table: issue`", "operationalerror|no such table: issue|"),
    ],
)
def test_errors_of_other_languages(text: str, signature: str) -> None:
    assert error_signature(text) == signature


@pytest.mark.parametrize("text", ["", "It does not work.", "I saw a ValueError somewhere.", "ERROR EXAMPLE EVERY"])
def test_no_error_no_signature(text: str) -> None:
    assert error_signature(text) is None


def test_the_last_error_of_a_chain_counts() -> None:
    chain = "KeyError: 'a'\n\nDuring handling of the above exception, another exception occurred:\n\nStoreError: no a"
    assert error_signature(chain) == "storeerror|no a|"


@pytest.mark.parametrize(
    ("message", "plain"),
    [
        ("entity ent_0123456789abcdef01234567 gone", "entity <id> gone"),
        ("0b9ad6c1-7b1c-4f57-9e27-0d9b9d2f3b11 failed", "<id> failed"),
        ("see https://example.org/x?y=1 now", "see <url> now"),
        ("at 0xdeadbeef1 after 3.5 s", "at <id> after <n> s"),
        ("open /var/lib/x/y.db", "open <path>"),
    ],
)
def test_what_varies_is_replaced(message: str, plain: str) -> None:
    assert normalised(message) == plain
