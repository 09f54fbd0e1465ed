"""Who asks for a token: tenant, application and credential brought together from request and database."""

import contextlib

from sqlalchemy.exc import IntegrityError

from headland.database import Database
from headland.identity import refusals, store, used_assertions
from headland.identity.assertions import LEEWAY, Assertion
from headland.identity.clients import Client, by_assertion, by_secret
from headland.identity.issuer import Issuer
from headland.identity.records import Application, Tenant
from headland.identity.refusals import TokenRefusedError
from headland.identity.token_request import TokenRequest
from headland.identity.usage import Usage

#: Azure's SDKs ask nobody whether an authority of this name is a good one, so that the environment alone can lead
#: them here; to any other they send the question to the hosted directory, unless their program says otherwise.
ADFS = "adfs"

#: Names in a tenant's place for whichever tenant the client belongs to: clients that were told of none send them.
ANY_TENANT = frozenset({"common", "organizations", ADFS})


class Authentication:
    """Authenticates the clients of one process."""

    def __init__(self, database: Database, issuer: Issuer, single_use: bool) -> None:
        """With `single_use` no assertion is taken twice."""
        self._database = database
        self._issuer = issuer
        self._single_use = single_use
        self._usage = Usage(database)

    def tenant(self, named: str) -> Tenant | None:
        """The tenant that the request's path names; None for the client's own.

        Raises:
            TokenRefusedError: there is none.
        """
        return None if named.lower() in ANY_TENANT else self._issuer.tenant(named)

    async def client(
        self,
        asked: TokenRequest,
        named: str,
        tenant: Tenant | None,
        application: Application | None,
        now: float,
    ) -> Client:
        """The client that asks.

        Args:
            named: what the path has in the tenant's place.
            tenant: the tenant of that name, if it is one's.
            application: the one with the client id that is asked for.
            now: seconds since 1970.

        Raises:
            TokenRefusedError: it has not shown who it is.
        """
        if tenant is None:
            if application is None:
                raise TokenRefusedError(refusals.UNKNOWN_CLIENT, client=asked.client_id, tenant=named)
            tenant = self._issuer.tenant(application.tenant_id)
        at = int(now * 1000)
        if isinstance(asked.credential, Assertion):
            certificates = self._database.read(
                lambda connection: store.certificates(connection, asked.client_id)
            )
            client = by_assertion(application, tenant, asked.credential, certificates, now)
            asked.credential.check(self._audiences(named, tenant), now)
            await self._use(asked.client_id, asked.credential, at)
            return client
        return by_secret(application, tenant, asked.client_id, asked.credential, at)

    def used(self, client: Client, now: int) -> None:
        """The client has shown who it is (`now` in milliseconds since 1970)."""
        self._usage.used(client.application.client_id, client.credential_id, now)

    def _audiences(self, named: str, tenant: Tenant) -> frozenset[str]:
        """What an assertion may be for: the tenant's token endpoints or its issuer, by whichever of its names."""
        return frozenset(
            f"{self._issuer.public_url}/{name}{end}"
            for name in (tenant.id, tenant.name, named)
            for end in ("", "/v2.0", "/oauth2/token", "/oauth2/v2.0/token")
        )

    async def _use(self, client_id: str, assertion: Assertion, now: int) -> None:
        if not self._single_use:
            return
        jti, until = assertion.jti, int((assertion.expires + LEEWAY) * 1000)
        first = False
        if jti:
            with contextlib.suppress(IntegrityError):
                first = await self._database.write(
                    lambda connection: used_assertions.use(connection, client_id, jti, until, now)
                )
        if not first:
            raise TokenRefusedError(refusals.ASSERTION_USED)
