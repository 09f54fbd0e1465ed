"""The API of the trail: it is read, and checked; nothing here changes it."""

import asyncio
import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import cast

import msgspec
from sqlalchemy import Connection
from starlette.requests import Request
from starlette.responses import Response

from headland.audit import store, wire
from headland.audit.chain import BEGINNING, BrokenChainError, follow
from headland.audit.records import Entry
from headland.audit.store import Filter
from headland.database import Database
from headland.http.answers import json_answer
from headland.http.operations import Answer, Operation, Parameter
from headland.security import Guard, Principal

PREFIX = "/audit"

SIZE = 100
MOST = 1000

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_EXPECTED = re.compile(r"([1-9]\d{0,17}):([0-9a-f]{64})")


class NotAllowedError(Exception):
    """The caller is no administrator."""


class BadParameterError(Exception):
    """A query parameter is not as it must be. The message names it."""


@dataclass(frozen=True, slots=True)
class AuditService:
    """The state behind the routes."""

    database: Database
    guard: Guard


async def list_entries(request: Request) -> Response:
    principal = await _caller(request)
    if not principal.tenant_administrator:
        raise NotAllowedError
    query = _query(request, ("action", "target", "by", "since", "until", "before", "size"))
    wanted = Filter(
        # Who administers the deployment sees what happened in every tenant.
        None if principal.administrator else principal.tenant_id,
        action=query.get("action"),
        target=query.get("target"),
        by_client_id=query.get("by"),
        since=_moment("since", query.get("since")),
        until=_moment("until", query.get("until")),
    )
    before = _number("before", query["before"], 1, 2**63 - 1) if "before" in query else None
    size = _number("size", query.get("size", str(SIZE)), 1, MOST)
    # One more than asked for: whether there is a next page is known by it.
    found = _service(request).database.read(
        lambda connection: store.page(connection, wanted, before, size + 1)
    )
    shown = found[:size]
    following = shown[-1].sequence if len(found) > size else None
    return json_answer(wire.AuditPage([_view(entry) for entry in shown], following))


async def verify_entries(request: Request) -> Response:
    if not (await _caller(request)).administrator:
        raise NotAllowedError
    expected = _expected(_query(request, ("expect",)).get("expect"))
    database, sequence, previous = _service(request).database, 0, BEGINNING
    problem = None
    try:
        while entries := database.read(_following(sequence)):
            sequence, previous = follow(entries, sequence, previous)
            _compare(entries, expected)
            # Other requests have their turn: the trail may be long.
            await asyncio.sleep(0)
    except BrokenChainError as error:
        problem = str(error)
    if problem is None and expected is not None and sequence < expected[0]:
        problem = f"the trail ends with entry {sequence}, but entry {expected[0]} was there once"
    shown = previous.hex() if sequence else None
    return json_answer(wire.AuditVerification(problem is None, sequence, shown, problem))


def _following(sequence: int) -> Callable[[Connection], list[Entry]]:
    return lambda connection: store.following(connection, sequence, MOST)


def _compare(entries: list[Entry], expected: tuple[int, bytes] | None) -> None:
    for entry in entries:
        if expected is not None and entry.sequence == expected[0] and entry.hash != expected[1]:
            raise BrokenChainError(f"entry {entry.sequence} is not the one that was there once")


async def _caller(request: Request) -> Principal:
    principal = await _service(request).guard.authenticate(request)
    if principal is None:
        raise NotAllowedError
    return principal


def _service(request: Request) -> AuditService:
    return cast("AuditService", request.app.state.service)


def _query(request: Request, known: tuple[str, ...]) -> dict[str, str]:
    found: dict[str, str] = {}
    for name, value in request.query_params.multi_items():
        if name not in known:
            raise BadParameterError(f"{name[:80]}: there is no such parameter; there are {', '.join(known)}.")
        if name in found:
            raise BadParameterError(f"{name}: stands there twice.")
        found[name] = value
    return found


def _number(name: str, text: str, least: int, most: int) -> int:
    if not (text.isascii() and text.isdigit() and len(text) < 20 and least <= int(text) <= most):
        raise BadParameterError(f"{name}: must be a whole number between {least} and {most}.")
    return int(text)


def _moment(name: str, text: str | None) -> int | None:
    if text is None:
        return None
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        raise BadParameterError(f"{name}: must be a moment as in 2026-11-21T18:00:00Z.") from None
    if moment.tzinfo is None:
        raise BadParameterError(f"{name}: must name its offset from UTC, as in 2026-11-21T18:00:00Z.")
    return (moment - _EPOCH) // timedelta(milliseconds=1)


def _expected(text: str | None) -> tuple[int, bytes] | None:
    if text is None:
        return None
    found = _EXPECTED.fullmatch(text)
    if found is None:
        raise BadParameterError(
            "expect: must be an entry's number, a colon, and its hash in 64 hexadecimal digits."
        )
    return int(found[1]), bytes.fromhex(found[2])


def _view(entry: Entry) -> wire.AuditEntry:
    return wire.AuditEntry(
        sequence=entry.sequence,
        at=_EPOCH + timedelta(milliseconds=entry.at),
        action=entry.action,
        target=entry.target,
        tenant_id=entry.tenant_id,
        by_client_id=entry.by_client_id,
        by_object_id=entry.by_object_id,
        by_tenant_id=entry.by_tenant_id,
        by_job=entry.by_job,
        source=entry.source,
        request_id=entry.request_id,
        before=_decoded(entry.before),
        after=_decoded(entry.after),
        hash=entry.hash.hex(),
    )


def _decoded(text: str | None) -> dict[str, object] | None:
    return None if text is None else msgspec.json.decode(text, type=dict[str, object])


_BAD = {400: Answer("A parameter is not as it must be; the message names it.", wire.AuditProblem)}

OPERATIONS = (
    Operation(
        "GET",
        "/entries",
        list_entries,
        "List administrative changes, newest first",
        {
            200: Answer(
                "Changes; for another tenant's administrator those in its own, and what concerns all.",
                wire.AuditPage,
            ),
            **_BAD,
        },
        parameters=(
            Parameter("action", str, "Only what was done so, such as `application.registered`."),
            Parameter("target", str, "Only what was done to this."),
            Parameter("by", str, "Only what this client id did."),
            Parameter("since", str, "Only what was done at this moment (RFC 3339) or later."),
            Parameter("until", str, "Only what was done before this moment."),
            Parameter("before", int, "Only entries with a smaller number: `next` of the page before."),
            Parameter("size", int, f"Entries in a page: {SIZE}, unless said otherwise, {MOST} at the most."),
        ),
        addition=True,
    ),
    Operation(
        "GET",
        "/verification",
        verify_entries,
        "Check that no entry was changed, taken out or put in",
        {200: Answer("What was found.", wire.AuditVerification), **_BAD},
        parameters=(
            Parameter(
                "expect",
                str,
                "`<number>:<hash>` of an entry, noted down earlier: the trail must still have it.",
            ),
        ),
        addition=True,
    ),
)
