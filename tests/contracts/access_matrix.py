"""Who may do what, written by hand from the roles of the product and never computed from the declarations.

anonymous  submits to types whose policy allows it; sees nothing stored.
guest      status, messages and subscriptions of the one thread that its token opens.
reporter   submits; stores and reads its own entities and threads, and what is public.
agent      the substrate, messages and subscriptions; private threads only with `read:private`, which this one lacks.
reviewer   plans of its daemon: approve, reject, ask; reads what these plans refer to.
steward    a program's token with `maintain`: lifecycle, but nothing that only a person decides.
maintainer a member of staff: lifecycle, visibility, every plan.
operator   everything.

The issue of the world is private and was filed by the reporter; `guest own` holds the grant on its thread, `guest
other` that on another one. The subscription is that of the grant: what it made belongs to the same person, and beside
them only the operator reaches it. A plan of the reviewer's daemon refers to the issue.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from tests.contracts.world import PLAN, REPORT, World

OK: Final = "ok"
MISSING: Final = "401 AUTH_REQUIRED"
SCOPE: Final = "403 INSUFFICIENT_SCOPE"
STAFF: Final = "403 STAFF_ONLY"
UNSEEN: Final = "404 NOT_FOUND"

REJECTED: Final = {
    "bad": "401 TOKEN_INVALID",
    "expired": "401 TOKEN_EXPIRED",
    "revoked": "401 TOKEN_REVOKED",
    "guest bad": "401 GUEST_TOKEN_INVALID",
    "guest expired": "401 GUEST_TOKEN_EXPIRED",
    "guest revoked": "401 GUEST_TOKEN_REVOKED",
}
"""A credential that does not count is refused by every operation, whatever it is for."""

PRINCIPALS: Final = (
    "anonymous",
    "guest own",
    "guest other",
    "reporter",
    "agent",
    "reviewer",
    "steward",
    "maintainer",
    "operator",
)
Row = tuple[str, str, str, str, str, str, str, str, str]

# fmt: off
MATRIX: Final[Mapping[str, Row]] = {
    # operation               anonymous guest own guest other reporter agent  reviewer steward maintainer operator
    "find_operations":          (OK,      OK,      OK,      OK,     OK,     OK,     OK,     OK,     OK),
    "store":                    (MISSING, SCOPE,   SCOPE,   OK,     OK,     SCOPE,  OK,     OK,     OK),
    "retrieve_entities":        (MISSING, SCOPE,   SCOPE,   OK,     OK,     OK,     OK,     OK,     OK),
    "retrieve_entity_snapshot": (MISSING, SCOPE,   SCOPE,   OK,     OK,     UNSEEN, OK,     OK,     OK),
    "delete_entity":            (MISSING, SCOPE,   SCOPE,   OK,     OK,     SCOPE,  OK,     OK,     OK),
    "restore_entity":           (MISSING, SCOPE,   SCOPE,   OK,     OK,     SCOPE,  OK,     OK,     OK),
    "retrieve_many":            (MISSING, SCOPE,   SCOPE,   OK,     OK,     OK,     OK,     OK,     OK),
    "list_observations":        (MISSING, SCOPE,   SCOPE,   OK,     OK,     UNSEEN, OK,     OK,     OK),
    "retrieve_field_provenance": (MISSING, SCOPE,  SCOPE,   OK,     OK,     UNSEEN, OK,     OK,     OK),
    "correct":                  (MISSING, SCOPE,   SCOPE,   OK,     OK,     SCOPE,  OK,     OK,     OK),
    "correct_many":             (MISSING, SCOPE,   SCOPE,   OK,     OK,     SCOPE,  OK,     OK,     OK),
    "merge_entities":           (MISSING, SCOPE,   SCOPE,   OK,     OK,     SCOPE,  OK,     OK,     OK),
    "split_entity":             (MISSING, SCOPE,   SCOPE,   OK,     OK,     SCOPE,  OK,     OK,     OK),
    "create_relationships":     (MISSING, SCOPE,   SCOPE,   OK,     OK,     SCOPE,  OK,     OK,     OK),
    "delete_relationship":      (MISSING, SCOPE,   SCOPE,   OK,     OK,     SCOPE,  OK,     OK,     OK),
    "restore_relationship":     (MISSING, SCOPE,   SCOPE,   OK,     OK,     SCOPE,  OK,     OK,     OK),
    "list_relationships":       (MISSING, SCOPE,   SCOPE,   OK,     OK,     UNSEEN, OK,     OK,     OK),
    "retrieve_related_entities": (MISSING, SCOPE,  SCOPE,   OK,     OK,     UNSEEN, OK,     OK,     OK),
    "retrieve_graph_neighborhood": (MISSING, SCOPE, SCOPE,  OK,     OK,     UNSEEN, OK,     OK,     OK),
    "retrieve_timeline":        (MISSING, SCOPE,   SCOPE,   OK,     OK,     UNSEEN, OK,     OK,     OK),
    "list_recent_changes":      (MISSING, SCOPE,   SCOPE,   OK,     OK,     OK,     OK,     OK,     OK),
    "keep_source":              (MISSING, SCOPE,   SCOPE,   OK,     OK,     SCOPE,  OK,     OK,     OK),
    "retrieve_source":          (MISSING, SCOPE,   SCOPE,   OK,     OK,     UNSEEN, OK,     OK,     OK),
    "delete_source":            (MISSING, SCOPE,   SCOPE,   OK,     OK,     SCOPE,  OK,     OK,     OK),
    "restore_source":           (MISSING, SCOPE,   SCOPE,   OK,     OK,     SCOPE,  OK,     OK,     OK),
    "list_entity_types":        (MISSING, SCOPE,   SCOPE,   OK,     OK,     OK,     OK,     OK,     OK),
    "describe_entity_type":     (MISSING, SCOPE,   SCOPE,   OK,     OK,     OK,     OK,     OK,     OK),
    "register_entity_type":     (MISSING, SCOPE,   SCOPE,   SCOPE,  SCOPE,  SCOPE,  SCOPE,  SCOPE,  OK),
    "extend_entity_type":       (MISSING, SCOPE,   SCOPE,   SCOPE,  SCOPE,  SCOPE,  SCOPE,  SCOPE,  OK),
    "revert_entity_type":       (MISSING, SCOPE,   SCOPE,   SCOPE,  SCOPE,  SCOPE,  SCOPE,  SCOPE,  OK),
    "submit_issue":             (OK,      SCOPE,   SCOPE,   OK,     OK,     SCOPE,  OK,     OK,     OK),
    "add_issue_message":        (MISSING, OK,      UNSEEN,  OK,     UNSEEN, SCOPE,  OK,     OK,     OK),
    "withdraw_issue":           (MISSING, OK,      UNSEEN,  OK,     UNSEEN, SCOPE,  OK,     OK,     OK),
    "withdraw_message":         (MISSING, OK,      UNSEEN,  OK,     UNSEEN, SCOPE,  OK,     OK,     OK),
    "restore_issue":            (MISSING, OK,      UNSEEN,  OK,     UNSEEN, SCOPE,  OK,     OK,     OK),
    "restore_message":          (MISSING, OK,      UNSEEN,  OK,     UNSEEN, SCOPE,  OK,     OK,     OK),
    "get_issue_status":         (MISSING, OK,      UNSEEN,  OK,     UNSEEN, OK,     OK,     OK,     OK),
    "list_issues":              (MISSING, SCOPE,   SCOPE,   OK,     OK,     OK,     OK,     OK,     OK),
    "close_issue":              (MISSING, SCOPE,   SCOPE,   SCOPE,  SCOPE,  SCOPE,  OK,     OK,     OK),
    "set_issue_status":         (MISSING, SCOPE,   SCOPE,   SCOPE,  SCOPE,  SCOPE,  OK,     OK,     OK),
    "reopen_issue":             (MISSING, SCOPE,   SCOPE,   SCOPE,  SCOPE,  SCOPE,  OK,     OK,     OK),
    "subscribe":                (MISSING, OK,      UNSEEN,  OK,     UNSEEN, OK,     OK,     OK,     OK),
    "unsubscribe":              (MISSING, OK,      UNSEEN,  OK,     UNSEEN, UNSEEN, UNSEEN, UNSEEN, OK),
    "list_subscriptions":       (MISSING, OK,      OK,      OK,     OK,     OK,     OK,     OK,     OK),
    "get_subscription_status":  (MISSING, OK,      UNSEEN,  OK,     UNSEEN, UNSEEN, UNSEEN, UNSEEN, OK),
    "propose_plan":             (MISSING, SCOPE,   SCOPE,   SCOPE,  UNSEEN, SCOPE,  OK,     OK,     OK),
    "approve_plan":             (MISSING, SCOPE,   SCOPE,   SCOPE,  SCOPE,  OK,     STAFF,  OK,     OK),
    "reject_plan":              (MISSING, SCOPE,   SCOPE,   SCOPE,  SCOPE,  OK,     OK,     OK,     OK),
    "ask_reporter":             (MISSING, SCOPE,   SCOPE,   SCOPE,  SCOPE,  OK,     OK,     OK,     OK),
    "process_issues":           (MISSING, SCOPE,   SCOPE,   SCOPE,  SCOPE,  SCOPE,  OK,     OK,     OK),
    "daemon_status":            (MISSING, SCOPE,   SCOPE,   SCOPE,  SCOPE,  SCOPE,  OK,     OK,     OK),
    "configure_daemon":         (MISSING, SCOPE,   SCOPE,   SCOPE,  SCOPE,  SCOPE,  SCOPE,  SCOPE,  OK),
    "release_preview":          (MISSING, SCOPE,   SCOPE,   SCOPE,  SCOPE,  SCOPE,  SCOPE,  SCOPE,  OK),
    "pause":                    (MISSING, SCOPE,   SCOPE,   SCOPE,  SCOPE,  SCOPE,  SCOPE,  SCOPE,  OK),
    "resume":                   (MISSING, SCOPE,   SCOPE,   SCOPE,  SCOPE,  SCOPE,  SCOPE,  SCOPE,  OK),
    "configure_submissions":    (MISSING, SCOPE,   SCOPE,   SCOPE,  SCOPE,  SCOPE,  SCOPE,  SCOPE,  OK),
    "list_events":              (MISSING, OK,      OK,      OK,     OK,     OK,     OK,     OK,     OK),
}
# fmt: on


def _edge(world: World) -> dict[str, Any]:
    return {"relationship_type": "REFERS_TO", "source_entity_id": world.task, "target_entity_id": world.other}


EXAMPLES: Final[Mapping[str, Callable[[World], dict[str, Any]]]] = {
    "find_operations": lambda world: {},
    "store": lambda world: {"entities": [{"entity_type": "task", "title": "new"}]},
    "retrieve_entities": lambda world: {"entity_type": "task"},
    "retrieve_entity_snapshot": lambda world: {"entity_id": world.task},
    "delete_entity": lambda world: {"entity_id": world.task},
    "restore_entity": lambda world: {"entity_id": world.deleted},
    "retrieve_many": lambda world: {"entity_ids": [world.task, world.other]},
    "list_observations": lambda world: {"entity_id": world.task},
    "retrieve_field_provenance": lambda world: {"entity_id": world.task, "field": "title"},
    "correct": lambda world: {"entity_id": world.task, "field": "title", "value": "write well"},
    "correct_many": lambda world: {
        "corrections": [
            {"entity_id": entity_id, "field": "done", "value": True} for entity_id in (world.task, world.other)
        ]
    },
    "merge_entities": lambda world: {"from_entity_id": world.other, "to_entity_id": world.task},
    "split_entity": lambda world: {"entity_id": world.task, "merged_entity_id": world.merged},
    "create_relationships": lambda world: {"relationships": [{**_edge(world), "relationship_type": "PART_OF"}]},
    "delete_relationship": _edge,
    "restore_relationship": _edge,
    "list_relationships": lambda world: {"entity_id": world.task},
    "retrieve_related_entities": lambda world: {"entity_id": world.task},
    "retrieve_graph_neighborhood": lambda world: {"entity_id": world.task},
    "retrieve_timeline": lambda world: {"entity_id": world.task},
    "list_recent_changes": lambda world: {},
    "keep_source": lambda world: {"content": "as it was said"},
    "retrieve_source": lambda world: {"source_id": world.source},
    "delete_source": lambda world: {"source_id": world.source},
    "restore_source": lambda world: {"source_id": world.source},
    "list_entity_types": lambda world: {},
    "describe_entity_type": lambda world: {"entity_type": "task"},
    "register_entity_type": lambda world: {
        "entity_type": "task",
        "description": "Something to do.",
        "fields": [{"name": "title", "type": "string"}],
    },
    "extend_entity_type": lambda world: {
        "entity_type": world.defined,
        "fields": [{"name": "due_date", "type": "date"}],
    },
    "revert_entity_type": lambda world: {"entity_type": world.defined, "version": 0},
    "submit_issue": lambda world: {**REPORT, "idempotency_key": "3f1c7a52-6a55-4c19-9a52-0a4a6f0c9d11"},
    "add_issue_message": lambda world: {"issue_number": world.issue, "body": "Still there."},
    "withdraw_issue": lambda world: {"issue_number": world.issue},
    "withdraw_message": lambda world: {"message_id": world.message},
    "restore_issue": lambda world: {"issue_number": world.issue},
    "restore_message": lambda world: {"message_id": world.withdrawn},
    "get_issue_status": lambda world: {"issue_number": world.issue},
    "list_issues": lambda world: {},
    "close_issue": lambda world: {"issue_number": world.issue, "resolution": {"kind": "answered"}},
    "set_issue_status": lambda world: {"issue_number": world.issue, "status": "todo"},
    "reopen_issue": lambda world: {"issue_number": world.closed, "reason": "It is back."},
    "subscribe": lambda world: {"entity_ids": [world.issue_id], "delivery_method": "sse"},
    "unsubscribe": lambda world: {"subscription_id": world.subscription},
    "list_subscriptions": lambda world: {},
    "get_subscription_status": lambda world: {"subscription_id": world.subscription},
    "propose_plan": lambda world: {"issue_id": world.issue_id, "plan": PLAN},
    "approve_plan": lambda world: {"plan_id": world.plan, "revision": 1},
    "reject_plan": lambda world: {"plan_id": world.plan, "reason": "Too wide."},
    "ask_reporter": lambda world: {"plan_id": world.plan, "text": "Since which version?"},
    "process_issues": lambda world: {"daemon": "formica"},
    "daemon_status": lambda world: {"daemon": "formica"},
    "configure_daemon": lambda world: {"daemon": "formica", "fields": {"concurrency": 2}},
    "release_preview": lambda world: {"case_id": world.case},
    "pause": lambda world: {"daemon": "formica"},
    "resume": lambda world: {"daemon": "formica"},
    "configure_submissions": lambda world: {"config_key": "tickets", "target_entity_type": "ticket"},
    "list_events": lambda world: {},
}

BY_ARGUMENT: Final = (
    "add_issue_message",
    "withdraw_issue",
    "withdraw_message",
    "restore_issue",
    "restore_message",
    "get_issue_status",
    "subscribe",
    "unsubscribe",
    "list_subscriptions",
    "get_subscription_status",
)
"""Operations that take a guest token among their arguments."""


def expected_by_argument(operation: str) -> dict[str, str]:
    """By grant, what is to come of an operation that is given its token as an argument, whoever else calls."""
    return {who: outcome for who, outcome in expected(operation).items() if who.startswith("guest")}


def expected(operation: str) -> dict[str, str]:
    """By principal, what is to come of one operation; every kind of credential is in it."""
    return {**dict(zip(PRINCIPALS, MATRIX[operation], strict=True)), **REJECTED}
