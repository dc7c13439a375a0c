from __future__ import annotations

from triage.clusters import MAX_CLUSTER, cluster
from triage.schemas import LinkedEntity, Report

TRACE = 'Traceback (most recent call last):\n  File "store.py", line {n}, in put\nValueError: bad record {n}'


def report(number: int, title: str = "Widgets", body: str = "Nothing alike", links: tuple[str, ...] = ()) -> Report:
    linked = tuple(LinkedEntity(entity_id=link) for link in links)
    return Report(title=title, body=body, entity_id=f"ent_{number}", issue_number=number, linked_entities=linked)


UNRELATED = [
    report(90 + n, title, body)
    for n, (title, body) in enumerate(
        [
            ("Login page is blue", "The colour of the login page changed to blue overnight."),
            ("Export to CSV", "Exporting a board to a spreadsheet would help accountants."),
            ("Clock skew", "Timestamps are one hour ahead after daylight saving."),
        ]
    )
]


def test_the_same_error_is_one_problem() -> None:
    first = report(1, "Cannot save", TRACE.format(n=1))
    second = report(2, "Strange crash on Monday", "It said:\n" + TRACE.format(n=77))
    (found,) = cluster(first, [*UNRELATED, second])
    assert (found.entity_id, found.issue_number) == ("ent_2", 2)
    assert "same error: valueerror|bad record <n>|store.py:put" in found.reasons


def test_a_shared_rare_entity_is_evidence_and_a_popular_one_is_not() -> None:
    mine = report(1, "Alpha", "first words", links=("ent_rare", "ent_hub"))
    rare = report(2, "Beta", "other text", links=("ent_rare",))
    hub = [report(10 + n, f"Gamma{chr(97 + n)}", f"topic {chr(97 + n) * 4}", links=("ent_hub",)) for n in range(20)]
    assert [item.entity_id for item in cluster(mine, [rare, *hub])] == ["ent_2"]


def test_similar_text_is_one_problem() -> None:
    mine = report(
        1, "Storing an entity drops the lent_out field", "The declared field is lost when its value is false."
    )
    twin = report(2, "Declared field lost when storing entity", "Storing drops lent out field whose value is false.")
    (found,) = cluster(mine, [*UNRELATED, twin])
    assert found.entity_id == "ent_2"
    assert found.reasons[0].startswith("text similarity")


def test_evidence_adds_up_and_the_best_comes_first() -> None:
    mine = report(1, "Cannot save", TRACE.format(n=1), links=("ent_x",))
    one = report(2, "Different", TRACE.format(n=5))
    both = report(3, "Different", TRACE.format(n=5), links=("ent_x",))
    found = cluster(mine, [one, both])
    assert [item.entity_id for item in found] == ["ent_3", "ent_2"]
    assert found[0].score > found[1].score


def test_unrelated_reports_and_the_report_itself_stay_out() -> None:
    mine = report(1, "Storing drops a field", "The field is lost.")
    assert cluster(mine, [mine, *UNRELATED]) == ()
    assert cluster(mine, []) == ()


def test_the_cluster_is_bounded() -> None:
    many = [report(n, "Cannot save", TRACE.format(n=n)) for n in range(2, 80)]
    assert len(cluster(report(1, "Cannot save", TRACE.format(n=1)), many)) == MAX_CLUSTER
