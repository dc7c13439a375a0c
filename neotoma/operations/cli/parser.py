"""The argument parser, from the declared operations."""

from __future__ import annotations

import argparse
from collections.abc import Iterable
from typing import Any

from neotoma.operations.registry import Operation
from neotoma.operations.texts import forms, schema_of

ISSUES = {
    "create": "submit_issue",
    "message": "add_issue_message",
    "status": "get_issue_status",
    "list": "list_issues",
    "close": "close_issue",
    "sync": "sync_issues",
}
"""`neotoma issues <verb>` for the operations that exist."""


def build(ops: Iterable[Operation]) -> argparse.ArgumentParser:
    """One sub-command an operation, beside `issues`, `tokens` and `mcp`."""
    parser = argparse.ArgumentParser("neotoma", description="Facts and issues for agents, from the command line.")
    verbs = parser.add_subparsers(dest="verb", required=True, metavar="COMMAND")
    known = {op.name: op for op in ops}
    for op in known.values():
        _add(verbs, op.name, op)
    issues = verbs.add_parser("issues", help="Issues: create, message, status, list, close.")
    shorts = issues.add_subparsers(dest="issue_verb", required=True, metavar="COMMAND")
    for short, name in ISSUES.items():
        if name in known:
            _add(shorts, short, known[name], positional=True)
    _add_tokens(verbs)
    _add_mcp(verbs)
    return parser


def _add(verbs: Any, verb: str, op: Operation, *, positional: bool = False) -> None:
    summary = op.title + (f" (risk {op.risk})" if op.effect == "write" else "")
    parser = verbs.add_parser(
        verb,
        help=summary,
        description=op.description,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.set_defaults(operation=op.name)
    parser.add_argument("--json", action="store_true", dest="cli_json", help="Print the result as JSON.")
    parser.add_argument(
        "--arguments", dest="cli_arguments", metavar="JSON", help="All arguments as JSON; - reads stdin."
    )
    _add_place(parser)
    if positional and "issue_number" in op.params.model_fields:
        parser.add_argument("issue", nargs="?", help="Issue number or entity id.")
    for name, form in forms(op.params).items():
        _add_parameter(parser, name, form, schema_of(op.params)["properties"][name])


def _add_parameter(parser: argparse.ArgumentParser, name: str, form: str, declared: dict[str, Any]) -> None:
    """Values stay texts here; the parameters' model types and checks them, as it does for every surface."""
    parser.add_argument(
        f"--{name.replace('_', '-')}",
        dest=f"arg_{name}",
        action="append",
        metavar={"array": "ITEM", "object": "JSON"}.get(form, "VALUE"),
        help=_help(form, declared),
    )


def _help(form: str, declared: dict[str, Any]) -> str:
    choices = _choices(declared)
    more = [f"One of {', '.join(choices)}." if choices else "", "Repeat it for more." if form == "array" else ""]
    return " ".join(filter(None, [declared.get("description", ""), *more])).replace("%", "%%")


def _choices(declared: dict[str, Any]) -> list[str]:
    parts = [declared, *declared.get("anyOf", ())]
    return [str(choice) for part in parts for choice in part.get("enum", ())]


def _add_place(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--url", dest="cli_url", help="Call this instance instead of the local database.")
    parser.add_argument("--token", dest="cli_token", help="Token to call with; NEOTOMA_TOKEN says the same.")


def _add_tokens(verbs: Any) -> None:
    tokens = verbs.add_parser("tokens", help="API tokens of this installation.")
    kinds = tokens.add_subparsers(dest="token_verb", required=True, metavar="COMMAND")
    mint = kinds.add_parser("mint", help="Make a token for an agent; it is shown once.")
    mint.add_argument("--agent", required=True, help="Name of the agent; made if there is none.")
    mint.add_argument("--scope", required=True, action="append", dest="scopes", help="Repeat it for more.")
    mint.add_argument("--days", type=int, help="How long it lives; for ever if left out.")
    mint.add_argument("--json", action="store_true", dest="cli_json", help="Print the result as JSON.")


def _add_mcp(verbs: Any) -> None:
    mcp = verbs.add_parser("mcp", help="Speak MCP over stdin and stdout.")
    _add_place(mcp)
