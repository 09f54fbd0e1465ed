"""Liveness and readiness."""

import asyncio

import msgspec
from starlette.requests import Request
from starlette.responses import Response

from headland.database import Database, DatabaseUnavailableError
from headland.http.answers import json_answer
from headland.http.operations import Answer, Operation
from headland.identity import store as identity_store
from headland.jobs.batches import store as batch_store
from headland.jobs.isolation.isolation import described
from headland.server.home import held
from headland.settings import Home, Settings


class Health(msgspec.Struct, frozen=True):
    """`ok`, or what is the matter."""

    status: str
    checks: dict[str, str] = {}
    #: Behind which walls jobs run.
    isolation: str | msgspec.UnsetType = msgspec.UNSET


def health_operations(home: Home, database: Database, settings: Settings) -> list[Operation]:
    """The two operations. They tell nothing that is worth a token."""
    services = settings.server.services

    async def get_liveness(_request: Request) -> Response:
        return json_answer(Health("ok"))

    async def get_readiness(_request: Request) -> Response:
        checks = {"database": _database(database, services)}
        isolation: str | msgspec.UnsetType = msgspec.UNSET
        if "jobs" in services:
            # The first look tries what the kernel gives.
            isolation = await asyncio.to_thread(described, settings.jobs)
            checks["controller"] = "ok" if held(home.controller_lock) else "not running"
        ready = all(check == "ok" for check in checks.values())
        return json_answer(Health("ok" if ready else "not ready", checks, isolation), 200 if ready else 503)

    return [
        Operation(
            "GET",
            "/health/live",
            get_liveness,
            "Whether the process answers.",
            {200: Answer("It does.", Health)},
            guarded=False,
        ),
        Operation(
            "GET",
            "/health/ready",
            get_readiness,
            "Whether requests can be served.",
            {200: Answer("They can.", Health), 503: Answer("They can't; `checks` says why.", Health)},
            guarded=False,
        ),
    ]


def _database(database: Database, services: tuple[str, ...]) -> str:
    try:
        if "identity" in services:
            database.read(identity_store.tenants)
        if "jobs" in services:
            database.read(batch_store.total)
    except DatabaseUnavailableError as error:
        return str(error)
    return "ok"
