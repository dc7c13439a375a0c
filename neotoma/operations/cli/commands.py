"""Running one command: read the arguments, call here or there, print."""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Mapping, Sequence
from datetime import timedelta
from typing import Any

from django.utils import timezone

from neotoma.access import bootstrap
from neotoma.access.authenticate import from_header
from neotoma.access.models import Agent
from neotoma.access.principals import SCOPES, Principal
from neotoma.logs import new_request_id
from neotoma.operations import invoke, texts
from neotoma.operations.cli.parser import build
from neotoma.operations.cli.tables import render
from neotoma.operations.client import Client, ClientRefusal, Unreachable
from neotoma.operations.local import local_principal
from neotoma.operations.registry import Operation, operations
from neotoma.substrate.errors import InvalidInput, Refusal

REFUSED = 1


def run(argv: Sequence[str]) -> int:
    """The exit code. Results go to stdout, refusals to stderr."""
    options = build(operations().values()).parse_args(argv)
    if options.verb == "mcp":
        return _serve_mcp(options)
    request_id = new_request_id()
    try:
        result = _mint(options) if options.verb == "tokens" else _call(options, request_id)
    except Refusal as refusal:
        return _refused({**refusal.body(), "request_id": request_id}, options.cli_json)
    except ClientRefusal as refusal:
        return _refused(refusal.body(), options.cli_json)
    except Unreachable as error:
        return _refused({"error_code": "UNREACHABLE", "message": str(error)}, options.cli_json)
    print(json.dumps(result, ensure_ascii=False) if options.cli_json else render(result))
    return 0


def _call(options: argparse.Namespace, request_id: str) -> dict[str, Any]:
    op = operations()[options.operation]
    arguments = _arguments(op, options)
    token = options.cli_token or os.environ.get("NEOTOMA_TOKEN")
    if options.cli_url:
        return Client(options.cli_url, token=token).call(op.name, **arguments)
    return invoke.run(op, arguments, invoke.Caller(_principal(token), "cli", request_id))


def _principal(token: str | None) -> Principal:
    """Whoever reaches the database with this command is its operator, unless a token says to be less."""
    return from_header(f"Bearer {token}") if token else local_principal()


def _arguments(op: Operation, options: argparse.Namespace) -> dict[str, Any]:
    """From `--arguments`, then from the flags, then from the bare issue."""
    found = _whole(options.cli_arguments) if options.cli_arguments else {}
    for name, form in texts.forms(op.params).items():
        given = getattr(options, f"arg_{name}")
        if given is not None:
            found[name] = texts.argument(name, form, given)
    issue = getattr(options, "issue", None)
    if issue is not None:
        found["issue_number" if issue.isdecimal() else "entity_id"] = issue
    return found


def _whole(text: str) -> dict[str, Any]:
    found = texts.argument("arguments", "object", [sys.stdin.read() if text == "-" else text])
    return dict(found)


def _mint(options: argparse.Namespace) -> dict[str, Any]:
    unknown = sorted(set(options.scopes) - set(SCOPES))
    if unknown:
        raise InvalidInput.at("scope", f"unknown: {', '.join(unknown)}", hint=f"Scopes are {', '.join(SCOPES)}.")
    agent, _ = Agent.objects.get_or_create(name=options.agent)
    expires_at = timezone.now() + timedelta(days=options.days) if options.days is not None else None
    token = bootstrap.mint(agent=agent, scopes=options.scopes, expires_at=expires_at)
    return {"agent": agent.name, "token": token, "scopes": options.scopes, "expires_at": str(expires_at or "never")}


def _serve_mcp(options: argparse.Namespace) -> int:
    from neotoma.operations.mcp.stdio import serve_stdio

    serve_stdio(url=options.cli_url, token=options.cli_token or os.environ.get("NEOTOMA_TOKEN"))
    return 0


def _refused(body: Mapping[str, Any], as_json: bool) -> int:
    if as_json:
        print(json.dumps(body, ensure_ascii=False), file=sys.stderr)
    else:
        print(f"{body['error_code']}: {body['message']} {body.get('hint', '')}".rstrip(), file=sys.stderr)
    return REFUSED
