"""Clients: who is it that shows this id, and this secret or this assertion?"""

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from headland.database import Database
from headland.identity import refusals, store
from headland.identity.assertions import Assertion
from headland.identity.client_secrets import matching
from headland.identity.failed_attempts import FailedAttempts
from headland.identity.identifiers import is_guid
from headland.identity.records import Application, Certificate, Tenant
from headland.identity.refusals import TokenRefusedError
from headland.identity.usage import Usage
from headland.security import Principal, TooManyAttemptsError

#: How a client has shown who it is: `appidacr` and `azpacr` say "1" for a secret, "2" for a certificate.
Method = Literal["1", "2"]
BY_SECRET: Method = "1"  # noqa: S105 - the name of a method, not a secret
BY_CERTIFICATE: Method = "2"


@dataclass(frozen=True, slots=True)
class Client:
    """An application that has shown who it is."""

    application: Application
    #: Its own.
    tenant: Tenant
    method: Method
    #: The secret or certificate by which it did.
    credential_id: str
    #: Until when the very same request shows it again (milliseconds since 1970). An assertion does so once.
    shown_until: int = 0


def by_secret(
    application: Application | None, tenant: Tenant, client_id: str, secret: str, now: int
) -> Client:
    """The client, if the secret is its own and live at `now` (milliseconds since 1970).

    Whether it is disabled is told to those alone who know a secret of it.

    Raises:
        TokenRefusedError: it is not in the tenant, is disabled, or the secret is wrong or expired.
    """
    if application is not None and application.tenant_id != tenant.id:
        application = None
    matches = matching(application, secret)
    if application is None:
        raise TokenRefusedError(refusals.UNKNOWN_CLIENT, client=client_id, tenant=tenant.name)
    if not matches:
        raise TokenRefusedError(refusals.WRONG_SECRET, client=client_id)
    live = next((match for match in matches if match.expires_at > now), None)
    if live is None:
        raise TokenRefusedError(refusals.EXPIRED_SECRET, client=client_id)
    _check_enabled(application)
    return Client(application, tenant, BY_SECRET, live.id, live.expires_at)


def by_assertion(
    application: Application | None,
    tenant: Tenant,
    assertion: Assertion,
    certificates: list[Certificate],
    now: float,
) -> Client:
    """The client, if the assertion is signed with the key of one of its certificates.

    Raises:
        TokenRefusedError: it is not in the tenant, is disabled, or the signature is not good at `now` (seconds
            since 1970).
    """
    if application is None or application.tenant_id != tenant.id:
        raise TokenRefusedError(refusals.UNKNOWN_CLIENT, client=assertion.client_id, tenant=tenant.name)
    certificate = assertion.signed_by(certificates, now)
    _check_enabled(application)
    return Client(application, tenant, BY_CERTIFICATE, certificate.id)


def _check_enabled(application: Application) -> None:
    if application.disabled_at is not None:
        raise TokenRefusedError(refusals.DISABLED_CLIENT, client=application.client_id, name=application.name)


class SecretChecker:
    """`headland.security`'s check of HTTP Basic, for a listener that takes client id and secret themselves."""

    def __init__(
        self, database: Database, attempts: FailedAttempts, clock: Callable[[], float] = time.time
    ) -> None:
        self._database = database
        self._attempts = attempts
        self._clock = clock
        self._usage = Usage(database)

    async def check_secret(self, client_id: str, secret: str, address: str) -> Principal | None:
        """The application's principal; None for anything but a live secret of an enabled application.

        Raises:
            TooManyAttemptsError: there were too many wrong ones, for the client or from the address.
        """
        client_id = client_id.lower()
        application, tenants = (
            self._database.read(
                lambda connection: (store.find_application(connection, client_id), store.tenants(connection))
            )
            if is_guid(client_id)
            else (None, [])
        )
        now = int(self._clock() * 1000)
        live = [found for found in matching(application, secret) if found.expires_at > now]
        if application is None or application.disabled_at is not None or not live:
            wait = self._attempts.failed(application.client_id if application is not None else None, address)
            if wait is not None:
                raise TooManyAttemptsError(wait)
            return None
        self._usage.used(client_id, live[0].id, now)
        tenant = next(tenant for tenant in tenants if tenant.id == application.tenant_id)
        return application.principal(tenant)
