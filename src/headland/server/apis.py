"""The APIs of each listener, as declared: what is mounted, and what the API reference is written from.

Declaring them opens nothing and reads nothing.
"""

from functools import cache
from typing import Any

import msgspec
from starlette.requests import Request
from starlette.responses import Response

import headland
from headland.audit import AUDIT_API
from headland.control import CONTROL_API
from headland.http.answers import encoded_answer
from headland.http.openapi import Api, openapi
from headland.http.operations import Answer, Operation
from headland.identity import ADMIN_API, TOKEN_API
from headland.jobs.api import jobs_api
from headland.jobs.batches.paths import PathRules
from headland.jobs.batches.routes import batch_operations
from headland.jobs.batches.service import Batches, now
from headland.jobs.environments.routes import environment_operations
from headland.jobs.environments.service import Environments
from headland.jobs.sessions.routes import session_operations
from headland.jobs.sessions.service import Sessions
from headland.jobs.spark_ui.pages import SparkPages
from headland.jobs.spark_ui.routes import spark_operations
from headland.jobs.spark_ui.server import HistoryServer
from headland.jobs.version import version_operation
from headland.security import Guard, Verifier
from headland.security.guard import SecretCheck
from headland.server.deployment import Deployment
from headland.server.farm import declared_farm
from headland.server.guards import guard_of
from headland.server.health import health_operations
from headland.server.metrics import metrics_operation
from headland.storage.routes import storage_api


def public_apis(deployment: Deployment, verifier: Verifier) -> list[Api]:
    """The public base: every service under its prefix, the token service at the root."""
    settings = deployment.settings
    apis: list[Api] = []
    if "jobs" in settings.server.services:
        jobs = _jobs(deployment, guard_of("jobs", settings, verifier), requested_by=True)
        own = guard_of("storage", settings, verifier)
        apis += [
            jobs_api(jobs, "/livy"),
            storage_api(deployment.storage, own, settings.storage.max_upload),
        ]
    if "identity" in settings.server.services:
        apis += [TOKEN_API, ADMIN_API]
    apis.append(AUDIT_API)
    if "control" in settings.server.services:
        apis.append(CONTROL_API)
    if "farm" in settings.server.services:
        apis.append(declared_farm(deployment, verifier))
    apis.append(_server(*_health(deployment), _description(apis)))
    return apis


def private_apis(deployment: Deployment, verifier: Verifier, check_secret: SecretCheck) -> list[Api]:
    """The private network's listener: the job service without a prefix, and what monitoring asks for."""
    server = deployment.settings.server
    apis: list[Api] = []
    if "jobs" in server.services:
        wanted = server.private_authentication
        # Secrets are the identity service's: where it does not run, it lets nobody in.
        by_secret = wanted != "bearer" and "identity" in server.services
        guard = guard_of(
            "jobs",
            deployment.settings,
            verifier,
            check_secret=check_secret if by_secret else None,
            anonymous=wanted == "none",
        )
        apis.append(jobs_api(_jobs(deployment, guard, requested_by=server.private_requested_by), ""))
    metrics = metrics_operation(deployment.database, deployment.home)
    apis.append(_server(*_health(deployment), metrics))
    return apis


def openapi_document(apis: list[Api]) -> dict[str, Any]:
    """`apis` in OpenAPI's words: what `/openapi.json` answers."""
    return openapi("Headland", headland.__version__, apis)


def _jobs(deployment: Deployment, guard: Guard, *, requested_by: bool) -> list[Operation]:
    settings = deployment.settings
    paths = PathRules.of(settings.jobs, deployment.storage)
    batches = Batches(deployment.database, paths, settings.jobs, deployment.home)
    limit = settings.server.max_body
    operations = batch_operations(batches, guard, requested_by=requested_by, max_body=limit)
    sessions = Sessions(deployment.database, paths, settings.jobs, deployment.home)
    operations += session_operations(sessions, guard, requested_by=requested_by, max_body=limit)
    environments = Environments(deployment.database, settings.jobs, deployment.home, now)
    operations += environment_operations(environments, guard, requested_by=requested_by, max_body=limit)
    pages = SparkPages(HistoryServer(settings.jobs, deployment.home))
    operations += spark_operations(pages, guard, batches.access, batches.run, sessions.run)
    return [*operations, version_operation(guard, batches.access)]


def _server(*operations: Operation) -> Api:
    return Api("server", "Health, metrics and this description.", "", operations, {})


def _health(deployment: Deployment) -> list[Operation]:
    return health_operations(deployment.home, deployment.database, deployment.settings)


def _description(apis: list[Api]) -> Operation:
    """`/openapi.json`, of what `apis` holds when somebody first asks: this operation is among it."""

    @cache
    def document() -> bytes:
        return msgspec.json.encode(openapi_document(apis))

    async def get_openapi(_request: Request) -> Response:
        return encoded_answer(document())

    return Operation(
        "GET", "/openapi.json", get_openapi, "This API.", {200: Answer("OpenAPI 3.1.", dict)}, guarded=False
    )
