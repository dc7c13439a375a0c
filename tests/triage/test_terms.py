from __future__ import annotations

from triage.schemas import Report, ThreadMessage
from triage.terms import MAX_PATHS, MAX_SYMBOLS, MAX_WORDS, issue_references, search_terms


def test_code_like_words_paths_and_title_words() -> None:
    report = Report(
        title="Storing an entity drops a field",
        body="`store_entity` in shelf/store.py and EntityStore.put() lose `lent_out`.",
    )
    terms = search_terms(report)
    assert terms.symbols[:2] == ("store_entity", "lent_out")
    assert {"EntityStore", "put"} <= set(terms.symbols)
    assert terms.paths == ("shelf/store.py",)
    assert terms.words == ("stor", "entity", "drop", "field")


def test_frames_come_first_and_nearest_to_the_failure() -> None:
    frames = ("run.py", 1, "main_loop"), ("store.py", 9, "keep_fields")
    body = "\n".join(f'File "/home/a/app/{file}", line {line}, in {name}' for file, line, name in frames)
    terms = search_terms(Report(title="Crash", body=body))
    assert terms.symbols[:2] == ("keep_fields", "main_loop")
    assert "/home/a/app/store.py" in terms.paths


def test_only_the_reporter_is_searched_for() -> None:
    own = ThreadMessage(author_kind="reporter", body="also `read_entity`")
    other = ThreadMessage(author_kind="maintainer", body="try `other_symbol`")
    symbols = search_terms(Report(title="a", body="b", messages=(own, other))).symbols
    assert "read_entity" in symbols
    assert "other_symbol" not in symbols


def test_terms_are_bounded_and_common_words_left_out() -> None:
    body = " ".join(f"name_{n} dir/file_{n}.py" for n in range(500)) + " `self` `None` `return`"
    terms = search_terms(Report(title="word " * 50 + " ".join(f"title{chr(97 + n)}x" for n in range(26)), body=body))
    assert (len(terms.symbols), len(terms.paths)) == (MAX_SYMBOLS, MAX_PATHS)
    assert len(terms.words) <= MAX_WORDS
    assert not {"self", "None", "return"} & set(terms.symbols)


def test_mentions_are_whole_words_without_case() -> None:
    terms = search_terms(Report(title="a", body="`find_titles` `keep`"))
    assert terms.mentioned_in("Fix Find_Titles and keeper") == {"find_titles"}


def test_issue_references() -> None:
    assert issue_references("Fixes #12, see #7; not a#9 nor &#39;") == {12, 7}
