"""Put the services together: one ASGI application a listener."""

from starlette.applications import Starlette
from starlette.middleware.gzip import GZipMiddleware
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Mount
from starlette.types import ASGIApp

import headland
from headland.http.answers import json_answer
from headland.http.context import RequestContext
from headland.http.openapi import Api, openapi
from headland.http.operations import Answer, Operation, routes_of
from headland.http.security_headers import SecurityHeaders
from headland.identity import ADMIN_API, TOKEN_API, Issuer, SecretChecker, identity_admin_app, identity_app
from headland.jobs.api import jobs_api, jobs_app
from headland.jobs.batches.paths import PathRules
from headland.jobs.batches.routes import batch_operations
from headland.jobs.batches.service import Batches
from headland.jobs.version import version_operation
from headland.security import Guard, Verifier
from headland.server.deployment import Deployment
from headland.server.health import health_operations
from headland.server.logging import configure_logging
from headland.server.metrics import metrics_operation
from headland.server.parent import follow_parent
from headland.settings import Home, Settings
from headland.storage.routes import storage_api, storage_app

#: Below this many bytes compressing costs more than it saves.
SMALLEST_COMPRESSED = 1024


class Assembly:
    """A deployment's services, ready to be mounted."""

    def __init__(self, deployment: Deployment) -> None:
        self.deployment = deployment
        settings = deployment.settings
        self.issuer = Issuer(deployment.database, settings.server.public_url)
        self.verifier = Verifier([self.issuer.trusted()])
        self.check_secret = SecretChecker(deployment.database).check_secret
        self.batches = Batches(
            deployment.database,
            PathRules.of(settings.jobs, deployment.storage),
            settings.jobs,
            deployment.home,
        )

    def public(self) -> Starlette:
        """The public base: every service under its prefix, the token service at the root."""
        settings, deployment = self.deployment.settings, self.deployment
        own = Guard(self.verifier, own_audiences(settings))
        apis: list[Api] = []
        mounted: list[BaseRoute] = []
        if "jobs" in settings.server.services:
            jobs = self._jobs(Guard(self.verifier, jobs_audiences(settings)), requested_by=True)
            storage = (deployment.storage, own, settings.storage.max_upload)
            apis += [jobs_api(jobs, "/livy"), storage_api(*storage)]
            mounted += [Mount("/livy", jobs_app(jobs)), Mount("/storage", storage_app(*storage))]
        if "identity" in settings.server.services:
            apis += [TOKEN_API, ADMIN_API]
            mounted += [
                Mount(ADMIN_API.prefix, identity_admin_app(deployment.database, settings, own)),
                Mount("/", identity_app(deployment.database, settings, self.issuer)),
            ]
        general = [
            *health_operations(deployment.home, deployment.database, settings.server.services),
            _description(apis),
        ]
        return Starlette(routes=[*routes_of(general), *mounted])

    def private(self) -> Starlette:
        """The private network's listener: the job service without a prefix."""
        settings, deployment = self.deployment.settings, self.deployment
        wanted = settings.server.private_authentication
        guard = Guard(
            self.verifier,
            jobs_audiences(settings),
            check_secret=None if wanted == "bearer" else self.check_secret,
            anonymous=wanted == "none",
        )
        general = [
            *health_operations(deployment.home, deployment.database, settings.server.services),
            metrics_operation(deployment.database, deployment.home.metrics),
        ]
        mounted = (
            [Mount("/", jobs_app(self._jobs(guard, requested_by=settings.server.private_requested_by)))]
            if "jobs" in settings.server.services
            else []
        )
        return Starlette(routes=[*routes_of(general), *mounted])

    def _jobs(self, guard: Guard, *, requested_by: bool) -> list[Operation]:
        limit = self.deployment.settings.server.max_body
        operations = batch_operations(self.batches, guard, requested_by=requested_by, max_body=limit)
        return [*operations, version_operation(guard)]


def own_audiences(settings: Settings) -> frozenset[str]:
    """Tokens for the deployment itself open what is Headland's own."""
    return frozenset({settings.server.public_url})


def jobs_audiences(settings: Settings) -> frozenset[str]:
    """Tokens for the cluster access endpoint, or for the deployment itself, open the job service."""
    public = settings.server.public_url
    return frozenset(
        {public, f"{public}/livy", *(url.rstrip("/") for url in settings.identity.cluster_access_urls)}
    )


def wrapped(app: Starlette, listener: str, *, tls: bool) -> ASGIApp:
    """`app` within what surrounds every listener."""
    compressed = GZipMiddleware(app, minimum_size=SMALLEST_COMPRESSED)
    return RequestContext(SecurityHeaders(compressed, tls=tls), listener)


def public_application() -> ASGIApp:
    """Factory for the server's worker processes."""
    return wrapped(_assembly().public(), "public", tls=True)


def private_application() -> ASGIApp:
    """Factory for the server's worker processes."""
    return wrapped(_assembly().private(), "private", tls=False)


def _assembly() -> Assembly:
    follow_parent()
    deployment = Deployment.open(Home.default())
    configure_logging(deployment.settings.log)
    return Assembly(deployment)


def _description(apis: list[Api]) -> Operation:
    document = openapi("Headland", headland.__version__, apis)

    async def get_openapi(_request: Request) -> Response:
        return json_answer(document)

    return Operation(
        "GET", "/openapi.json", get_openapi, "This API.", {200: Answer("OpenAPI 3.1.", dict)}, guarded=False
    )
