"""What has to be there before the first process starts: home, database, certificate, first administrator."""

import datetime
import os
import shutil
import socket
import time
from dataclasses import dataclass

import structlog
from sqlalchemy import Connection
from sqlalchemy.exc import SQLAlchemyError

from headland.control import Terms
from headland.control import initialise as initialise_control
from headland.database import Database, DatabaseUnavailableError, upgrade
from headland.database.system import is_postgresql, shown
from headland.database.upgrade import NewerDatabaseError
from headland.farm import SchemaShelf
from headland.identity import FirstAdministrator, initialise, oldest_administrator
from headland.jobs.clusters.cluster import ClusterError, check_clusters
from headland.jobs.clusters.java import Toolchain, ToolchainError
from headland.server.certificates import CertificateError, ServerCertificate, server_certificate
from headland.server.deployment import database_url, postgres_server
from headland.server.home import HomeError, hold, home_id, prepare_home
from headland.server.instance_stores import files_of
from headland.server.trust import prepare_trust
from headland.settings import Home, Settings, SettingsError, load_settings
from headland.storage import Storage

#: Seconds that the processes of a `serve` that was just killed get to notice it and go.
LOCK_PATIENCE = 5.0

#: Seconds that a PostgreSQL server gets to be there.
DATABASE_PATIENCE = 15.0

_log = structlog.get_logger("headland.server")

#: Where each process of a deployment keeps its counters (a name that prometheus_client knows).
METRICS_VARIABLE = "PROMETHEUS_MULTIPROC_DIR"


class PreparationError(Exception):
    """Headland can't start here. The message is one line that says why."""


@dataclass(frozen=True, slots=True)
class Prepared:
    """All that is needed to start."""

    home: Home
    settings: Settings
    certificate: ServerCertificate
    #: Set on the first start with the identity service only.
    administrator: FirstAdministrator | None
    #: Id of the subscription, where this start made it.
    subscription: str | None = None
    #: What in the home others could read or still can.
    opened: tuple[str, ...] = ()


def prepare(home: Home) -> Prepared:
    """Make what is missing. Repeatable; of several at once one makes it.

    Raises:
        PreparationError: a setting is wrong, the home, the database or a certificate can't be used.
    """
    try:
        settings = load_settings(home)
        opened = prepare_home(home)
        _take_home(home)
        if "jobs" in settings.server.services:
            Toolchain.of(settings.jobs)
            check_clusters(settings.jobs)
        certificate = server_certificate(home, settings, datetime.datetime.now(datetime.UTC))
        url = database_url(home, settings)
        if is_postgresql(url):
            _take_database(url, home)
        upgrade(url, [(issuer.issuer, issuer.tenant) for issuer in settings.security.issuers])
        _prepare_stores(home, settings)
        administrator, subscription = _first_rows(url, settings, _terms(settings))
        prepare_trust(home, certificate)
        Storage(settings.storage, home.storage).prepare()
        if "farm" in settings.server.services:
            files_of(home, settings).prepare()
            # Nobody who was receiving something lives: the home is ours alone by now.
            shutil.rmtree(home.receiving, ignore_errors=True)
        shutil.rmtree(home.metrics, ignore_errors=True)
        home.metrics.mkdir(mode=0o700)
        home.address.write_text(settings.server.public_url, "utf-8")
    except (
        SettingsError,
        HomeError,
        CertificateError,
        ToolchainError,
        ClusterError,
        NewerDatabaseError,
    ) as error:
        raise PreparationError(str(error)) from error
    except (SQLAlchemyError, DatabaseUnavailableError) as error:
        cause = str(getattr(error, "orig", error))
        raise PreparationError(f"the database of {home.path} can't be used: {cause}") from error
    except (OSError, ValueError) as error:
        raise PreparationError(f"the home {home.path} can't be used: {error}") from error
    return Prepared(home, settings, certificate, administrator, subscription, tuple(opened))


def _take_database(url: str, home: Home) -> None:
    """Wait for the server, and have the database for this home alone."""
    from headland.database.postgresql import (  # noqa: PLC0415 - few need its driver
        OtherHomeError,
        Owner,
        await_server,
        claim,
    )

    await_server(url, DATABASE_PATIENCE, lambda reason: _log.warning("database.awaited", reason=reason))
    try:
        claim(url, Owner(home_id(home), f"{home.path} on {socket.gethostname()}"))
    except OtherHomeError as error:
        raise PreparationError(f"{shown(url)}: {error}") from error


def _prepare_stores(home: Home, settings: Settings) -> None:
    server = postgres_server(home, settings)
    if server is not None and "farm" in settings.server.services:
        SchemaShelf(server).prepare()


def _take_home(home: Home) -> None:
    """Hold the home for this process and those that it starts, until the last of them has ended."""
    if hold(home.runtime / "serve.lock", LOCK_PATIENCE) is None:
        raise PreparationError(f"another Headland runs on the home {home.path}")


def _terms(settings: Settings) -> Terms:
    try:
        return Terms.of(settings.control)
    except (OSError, UnicodeDecodeError) as error:
        raise PreparationError(f"control.terms_file can't be read: {error}") from error


def _first_rows(url: str, settings: Settings, terms: Terms) -> tuple[FirstAdministrator | None, str | None]:
    """The first administrator and the id of the first subscription, each where this start made it."""
    at = time.time_ns() // 1_000_000

    def make(connection: Connection) -> tuple[FirstAdministrator | None, str | None]:
        services = settings.server.services
        administrator = initialise(connection, settings, at) if "identity" in services else None
        first = oldest_administrator(connection) if "control" in services else None
        if first is None:
            # Without a tenant of its own, subscriptions are asked for by whom an outside provider vouches for.
            return administrator, None
        tenant, owner = first
        made = initialise_control(
            connection,
            tenant_id=tenant.id,
            owner_id=owner,
            display_name=settings.control.subscription_name or tenant.name,
            terms=terms,
            now=at,
        )
        return administrator, made.id if made is not None else None

    database = Database(url, settings.database.busy_timeout)
    try:
        return database.write_and_wait(make)
    finally:
        database.close()


def use_home(home: Home) -> None:
    """Have this process and those that it starts agree on the home. Before prometheus_client is imported:
    it looks at its variable once, then.
    """
    os.environ["HEADLAND_HOME"] = str(home.path)
    os.environ[METRICS_VARIABLE] = str(home.metrics)
