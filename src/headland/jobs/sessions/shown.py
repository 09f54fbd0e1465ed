"""A session's record as it goes over the wire."""

from typing import Any

import msgspec

from headland.jobs.batches import log
from headland.jobs.batches.wire import AppInfo
from headland.jobs.sessions import commission
from headland.jobs.sessions.states import State
from headland.jobs.sessions.store import SessionRow
from headland.jobs.sessions.wire import Session


def state_of(row: SessionRow, about: dict[str, Any] | None) -> str:
    """What a client is to see; `about` is what the host says, if it says anything."""
    if row.finished_at is not None:
        return row.state
    if row.unwanted:
        return State.SHUTTING_DOWN
    if about is not None:
        return str(about["state"])
    # A host that does not answer has its reasons.
    return State.STARTING if row.state == State.STARTING else State.BUSY


def shown(row: SessionRow, about: dict[str, Any] | None, lines: bytes, *, in_full: bool) -> Session:
    """The record. `lines` is the end of the log, a JSON list. Who may not read a session's log does not see its
    configuration either, which may hold secrets: `in_full` says whether the caller may.
    """
    wanted = commission.decode(row.request)
    asked = wanted.submission
    told = about or {}
    return Session(
        id=row.id,
        name=row.name,
        app_id=row.app_id or told.get("app_id"),
        owner=row.owner,
        proxy_user=row.proxy_user,
        state=state_of(row, about),
        kind=row.kind,
        app_info=msgspec.json.decode(row.app_info, type=AppInfo) if row.app_info else AppInfo(),
        log=msgspec.json.decode(lines if in_full else log.NOTHING, type=list[str]),
        ttl=wanted.ttl,
        idle_timeout=wanted.idle_timeout,
        driver_memory=asked.driver_memory,
        driver_cores=asked.driver_cores or 0,
        executor_memory=asked.executor_memory,
        executor_cores=asked.executor_cores or 0,
        conf=dict(asked.conf) if in_full else {},
        archives=list(asked.archives),
        files=list(asked.files),
        heartbeat_timeout_in_second=wanted.heartbeat_timeout,
        jars=list(asked.jars),
        num_executors=asked.num_executors or 0,
        py_files=list(asked.py_files),
        queue=asked.queue,
    )
