"""What each process of a deployment runs. `serve` has prepared everything and watches them."""

import os
from typing import Any

from granian.constants import HTTPModes, Interfaces, SSLProtocols
from granian.http import HTTP1Settings, HTTP2Settings
from granian.log import LogLevels
from granian.server import Server

from headland.http.connections import most_connections
from headland.jobs.batches.paths import PathRules
from headland.jobs.batches.service import now
from headland.jobs.clusters.filesystem import storage_conf
from headland.jobs.clusters.java import Toolchain
from headland.jobs.controller.assembly import assemble
from headland.jobs.controller.controller import Controller
from headland.jobs.controller.keeper import BatchKeeper
from headland.jobs.environments.builder import EnvironmentBuilder
from headland.jobs.node import node_name
from headland.jobs.sessions.controller.keeper import SessionKeeper
from headland.jobs.sessions.controller.loop import SessionLoop
from headland.server import applications
from headland.server.certificates import ServerCertificate
from headland.server.deployment import Deployment
from headland.server.home import HomeError, hold
from headland.server.job_identity import job_identity
from headland.server.logging import GRANIAN, configure_logging
from headland.server.parent import follow_parent
from headland.server.scheduling import let_threads_finish
from headland.settings import Home, ServerSettings

#: Seconds that the controller which this one follows gets to let go.
LOCK_PATIENCE = 2.0

#: Bytes that a request's head may have over HTTP/2 before it reaches an application, which has limits of its own. Of
#: HTTP/1.1 the server's buffer has 400 kB.
_MOST_HEADERS = 1 << 18


def public_listener(settings: ServerSettings, certificate: ServerCertificate) -> None:
    """The public base over HTTPS."""
    _listen(
        "public_application",
        settings.host,
        settings.port,
        settings,
        ssl_cert=certificate.certificate,
        ssl_key=certificate.key,
        # Some clients in the field know no 1.3.
        ssl_protocol_min=SSLProtocols.tls12,
    )


def private_listener(settings: ServerSettings) -> None:
    """The private network's port over HTTP."""
    _listen("private_application", settings.private_host, settings.private_port, settings)


def controller() -> None:
    """The controller: one a home, which the lock sees to.

    Raises:
        HomeError: another one has the lock.
        ToolchainError: there is no Java or no Spark.
    """
    follow_parent()
    home = Home.default()
    deployment = Deployment.open(home)
    configure_logging(deployment.settings.log)
    lock = hold(home.controller_lock, LOCK_PATIENCE)
    if lock is None:
        raise HomeError(f"another controller runs on the home {home.path}")
    jobs = deployment.settings.jobs
    access, broker = job_identity(deployment)
    own_certificate = deployment.settings.tls.certificate is not None
    assembled = assemble(
        deployment.database,
        jobs,
        home,
        Toolchain.of(jobs),
        access,
        storage=storage_conf(
            deployment.storage, access.url, None if own_certificate else home.ca_certificate
        ),
        default_url=str(deployment.storage.root) if jobs.default_file_system == "storage" else None,
    )
    if broker is not None:
        broker.start()
    keeper = BatchKeeper(
        database=deployment.database,
        paths=PathRules.of(jobs, deployment.storage),
        cluster=assembled.cluster,
        settings=deployment.settings,
        home=home,
        clock=now,
        warm=assembled.drivers,
    )
    node = node_name(home.path / "node")
    sessions = SessionLoop(
        deployment.database,
        SessionKeeper(
            deployment.database,
            keeper.paths,
            assembled.cluster,
            deployment.settings,
            home,
            now,
            assembled.sessions,
        ),
        node,
        jobs,
        on_start=assembled.upkeep.session_starts,
    )
    sessions.start()
    EnvironmentBuilder(deployment.database, jobs, home, now).start()
    Controller(
        deployment.database, keeper, home, node, jobs, upkeep=assembled.upkeep, others=sessions.ring
    ).run()
    os.close(lock)
    # Steps under way are not waited for: they are made to be cut short.
    os._exit(0)


def _listen(factory: str, host: str, port: int, settings: ServerSettings, **tls: Any) -> None:
    follow_parent()
    let_threads_finish()
    most = most_connections(settings.max_connections)
    Server(
        # Named by the module that is imported here: by `serve`, once for all of its processes.
        f"{applications.__name__}:{factory}",
        address=host,
        port=port,
        interface=Interfaces.ASGINL,
        factory=True,
        http=HTTPModes.auto if tls else HTTPModes.http1,
        websockets=False,
        workers=settings.workers,
        respawn_failed_workers=True,
        # Well above what one address may hold, so that others get in (`headland.http.connections`).
        backlog=most,
        backpressure=most,
        # Also ends a connection that waits for its next request: no earlier than over HTTP/2.
        http1_settings=HTTP1Settings(header_read_timeout=round(settings.idle_timeout * 1000)),
        http2_settings=HTTP2Settings(max_headers_size=_MOST_HEADERS),
        workers_kill_timeout=max(1, round(settings.shutdown_grace)),
        log_level=LogLevels.warning,
        log_dictconfig=GRANIAN,
        **tls,
    ).serve()
