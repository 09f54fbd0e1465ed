"""Put the services together: one ASGI application a listener."""

import asyncio
from multiprocessing.util import Finalize
from urllib.parse import urlsplit

from starlette.types import Receive, Scope, Send

from headland.audit import audit_app
from headland.control import ControlService, Deployer, RoleAuthorizer, Terms, belongings, control_app
from headland.http.application import Application
from headland.http.connections import ConnectionLimits, Connections, most_connections
from headland.http.cross_site import CrossSite
from headland.http.drain_body import BodyPace
from headland.http.listener import Listener
from headland.http.stopping import notice_stopping
from headland.http.traffic import Traffic
from headland.http.trusted_proxies import TrustedProxies
from headland.identity import (
    AdminService,
    FailedAttempts,
    Issuer,
    KeyKeeper,
    SecretChecker,
    identity_admin_app,
    identity_app,
)
from headland.jobs.api import jobs_app
from headland.jobs.identity import job_alive
from headland.portal import PREFIX as PORTAL
from headland.portal import portal_app, portal_entrance
from headland.security import Guard, Principal, TokenError, Verifier
from headland.security.outside import OutsideIssuer
from headland.server.apis import private_apis, public_apis
from headland.server.deployment import Deployment
from headland.server.directory import IdentityDirectory
from headland.server.farm import PREFIX as FARM
from headland.server.farm import farm_application, farm_hosts, farm_worker
from headland.server.guards import guard_of
from headland.server.instance_stores import InstanceStores, files_of, pending_of, stores_of
from headland.server.lines import LINES
from headland.server.logging import configure_logging, request_lines
from headland.server.parent import follow_parent
from headland.settings import Home, ServerSettings
from headland.storage.routes import storage_app


class Assembly:
    """A deployment's services, ready to be mounted."""

    def __init__(self, deployment: Deployment) -> None:
        self.deployment = deployment
        settings = deployment.settings
        self.issuer = (
            Issuer(deployment.database, settings.server.public_url, job_alive=job_alive(deployment.database))
            if "identity" in settings.server.services
            else None
        )
        own = [self.issuer.trusted()] if self.issuer is not None else []
        kept = deployment.home.cache / "issuers"
        security = settings.security
        outside = [
            OutsideIssuer(issuer, security, kept).trusted(None if issuer.tenant else self._of_elsewhere)
            for issuer in security.issuers
        ]
        self.verifier = Verifier([*own, *outside])
        limit = settings.identity.failed_attempts_a_minute
        self.check_secret = SecretChecker(deployment.database, FailedAttempts(limit)).check_secret
        self._public: Listener | None = None
        self.authorizer = RoleAuthorizer(deployment.database)
        self.pending = pending_of(deployment.home)
        self.files = files_of(deployment.home, settings)
        stores = InstanceStores(stores_of(deployment), self.files, self.pending)
        self.deployer = Deployer(deployment.database, stores, deployment.home.deployer_lock)

    def _of_elsewhere(self, principal: Principal) -> Principal:
        """
        Raises:
            TokenError: an issuer that was given no tenant says that it is of one of Headland's own.
        """
        if self.issuer is not None and self.issuer.has_tenant(principal.tenant_id):
            raise TokenError(
                "The token names a tenant of this deployment, for which its issuer does not speak."
            )
        return principal

    def public(self) -> Listener:
        """The public base."""
        settings, deployment = self.deployment.settings, self.deployment
        apis = {api.name: api for api in public_apis(deployment, self.verifier)}
        mounted: dict[str, Application] = {}
        at_root = [Application(apis["server"].operations, {})]
        if "jobs" in apis:
            mounted[apis["jobs"].prefix] = jobs_app([*apis["jobs"].operations])
            mounted[apis["storage"].prefix] = storage_app(
                deployment.storage, self._guard("storage"), settings.storage.max_upload
            )
        mounted[apis["audit"].prefix] = audit_app(deployment.database, self._guard("audit"))
        if self.issuer is not None:
            guard = self._guard("applications")
            admin = AdminService(deployment.database, settings, guard, belongings)
            mounted[apis["applications"].prefix] = identity_admin_app(admin)
            at_root.append(identity_app(deployment.database, settings, self.issuer))
        if "control" in apis:
            at_root.insert(0, control_app(self._control()))
        if "portal" in settings.server.services and self.issuer is not None:
            mounted[PORTAL] = portal_app(deployment.database, settings, self._inside, self.verifier)
            at_root.insert(0, portal_entrance())
        hosts = None
        if "farm" in apis:
            mounted[FARM] = farm = farm_application(deployment, self.verifier, self.pending, self.files)
            hosts = farm_hosts(farm, settings)
        traffic = self._traffic("public")
        self._public = Listener(
            "public",
            mounted,
            at_root,
            tls=True,
            traffic=traffic,
            hosts=hosts,
            pace=_pace(settings.server),
            connections=_connections("public", settings.server.port, settings.server),
            proxies=_proxies(settings.server),
        )
        return self._public

    async def _inside(self, scope: Scope, receive: Receive, send: Send) -> None:
        """The portal's way to the services that are mounted beside it."""
        if self._public is None:
            raise RuntimeError("there is no public base yet")
        await self._public.answer_inside(scope, receive, send)

    def _guard(self, api: str) -> Guard:
        return guard_of(api, self.deployment.settings, self.verifier)

    def _control(self) -> ControlService:
        deployment = self.deployment
        return ControlService(
            deployment.database,
            deployment.settings,
            self._guard("control"),
            self.authorizer,
            IdentityDirectory(outside=bool(deployment.settings.security.issuers)),
            Terms.of(deployment.settings.control),
            self.deployer.wake,
        )

    def private(self) -> Listener:
        """The private network's listener."""
        apis = {api.name: api for api in private_apis(self.deployment, self.verifier, self.check_secret)}
        at_root = [Application(apis["server"].operations, {})]
        if "jobs" in apis:
            at_root.append(jobs_app([*apis["jobs"].operations]))
        server = self.deployment.settings.server
        return Listener(
            "private",
            {},
            at_root,
            tls=False,
            traffic=self._traffic("private"),
            pace=_pace(server),
            connections=_connections("private", server.private_port, server),
            proxies=_proxies(server),
            cross_site=_cross_site(server),
        )

    def _traffic(self, listener: str) -> Traffic:
        traffic = Traffic(listener, request_lines(self.deployment.settings.log))
        # A process of multiprocessing's ends without `atexit`.
        Finalize(None, traffic.tell, exitpriority=0)
        return traffic


def public_application() -> Listener:
    """Factory for the server's worker processes."""
    assembly = _assembly()
    settings = assembly.deployment.settings
    if "control" in settings.server.services:
        assembly.deployer.start()
    if "farm" in settings.server.services:
        farm_worker(assembly.deployment, assembly.pending, assembly.files).start()
    if assembly.issuer is not None:
        KeyKeeper(assembly.deployment.database, settings.identity).start()
    return _watched(assembly.public())


def private_application() -> Listener:
    """Factory for the server's worker processes."""
    return _watched(_assembly().private())


def _watched(listener: Listener) -> Listener:
    if listener.connections is not None:
        listener.connections.start()
    return listener


def _pace(settings: ServerSettings) -> BodyPace:
    return BodyPace(settings.body_timeout, settings.body_rate)


def _connections(listener: str, port: int, settings: ServerSettings) -> Connections:
    """Those of a listener's port in this process."""
    # One address alone never takes all that there are.
    half = most_connections(settings.max_connections) // 2
    limits = ConnectionLimits(
        min(settings.connections_per_address, half), settings.first_request_timeout, settings.idle_timeout
    )
    return Connections(listener, port, limits)


def _cross_site(settings: ServerSettings) -> CrossSite:
    public = urlsplit(settings.public_url).hostname or ""
    return CrossSite((settings.private_host, public, *settings.private_names))


def _proxies(settings: ServerSettings) -> TrustedProxies | None:
    """None where there are none: then nothing is looked for."""
    known = settings.trusted_proxies
    return TrustedProxies(known, settings.forwarded_header) if known else None


def _assembly() -> Assembly:
    follow_parent()
    notice_stopping(asyncio.get_event_loop())
    deployment = Deployment.open(Home.default())
    configure_logging(deployment.settings.log, gathered=True)
    Finalize(None, LINES.flush, exitpriority=0)
    return Assembly(deployment)
