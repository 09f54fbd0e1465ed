"""Put a change on record, in the transaction that makes it: neither is ever there alone."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import msgspec
from sqlalchemy import Connection
from starlette.requests import Request

from headland.audit import store
from headland.audit.chain import BEGINNING, digest
from headland.audit.records import Actor, Entry
from headland.http.request_ids import REQUEST_ID
from headland.security import Principal


def actor_of(request: Request, principal: Principal) -> Actor:
    """The caller of a request."""
    return Actor(
        source=request.client.host if request.client is not None else "unknown",
        client_id=principal.client_id,
        object_id=principal.object_id,
        tenant_id=principal.tenant_id,
        request_id=REQUEST_ID.get(),
        job=principal.job or None,
    )


def record(
    connection: Connection,
    actor: Actor,
    action: str,
    target: str,
    *,
    now: int,
    tenant_id: str | None,
    before: Mapping[str, Any] | None = None,
    after: Mapping[str, Any] | None = None,
) -> Entry:
    """Add an entry; `connection` is in the writing transaction that makes the change.

    Whatever caches decisions is told by it, too: `generation` changes with every entry.

    Args:
        action: kind of target and what was done to it, such as `application.registered`.
        target: such as `application/<client id>`, or a resource id.
        now: milliseconds since 1970.
        tenant_id: whose administrators see the entry; None for those of every tenant.
        before: what was there, as far as it was changed; without secrets.
        after: what is there now, as far as it was changed; without secrets.
    """
    sequence, previous = store.last(connection) or (0, BEGINNING)
    entry = Entry(
        sequence + 1,
        now,
        action,
        target,
        tenant_id,
        actor.client_id,
        actor.object_id,
        actor.tenant_id,
        actor.source,
        actor.request_id,
        _json(before),
        _json(after),
        hash=b"",
        by_job=actor.job,
    )
    entry = replace(entry, hash=digest(previous, *entry.covered))
    store.add(connection, entry)
    return entry


def generation(connection: Connection) -> int:
    """A number that every administrative change makes larger."""
    found = store.last(connection)
    return found[0] if found is not None else 0


def _json(value: Mapping[str, Any] | None) -> str | None:
    return None if value is None else msgspec.json.encode(value, order="sorted").decode()
