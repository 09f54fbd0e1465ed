"""Clients: who is it that shows this id and this secret?"""

import time
from collections.abc import Callable

from headland.database import Database
from headland.identity import refusals, store
from headland.identity.client_secrets import matching
from headland.identity.identifiers import is_guid
from headland.identity.records import Application, Tenant
from headland.identity.refusals import TokenRefusedError
from headland.security import Principal


def authenticated(
    application: Application | None, tenant: Tenant, client_id: str, secret: str, now: int
) -> Application:
    """The application, if the secret is its own and live at `now` (milliseconds since 1970).

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
    if all(secret.expires_at <= now for secret in matches):
        raise TokenRefusedError(refusals.EXPIRED_SECRET, client=client_id)
    if application.disabled_at is not None:
        raise TokenRefusedError(refusals.DISABLED_CLIENT, client=client_id, name=application.name)
    return application


class SecretChecker:
    """`headland.security`'s check of HTTP Basic, for a listener that takes client id and secret themselves."""

    def __init__(self, database: Database, clock: Callable[[], float] = time.time) -> None:
        self._database = database
        self._clock = clock

    async def check_secret(self, client_id: str, secret: str) -> Principal | None:
        """The application's principal; None for anything but a live secret of an enabled application."""
        client_id = client_id.lower()
        application = (
            self._database.read(lambda connection: store.find_application(connection, client_id))
            if is_guid(client_id)
            else None
        )
        now = int(self._clock() * 1000)
        live = [found for found in matching(application, secret) if found.expires_at > now]
        if application is None or application.disabled_at is not None or not live:
            return None
        return application.principal()
