"""When applications and their credentials were last used: known to the minute, and never waited for.

A durable write for each token would cost several times the token, so of one credential's uses at most one a
minute is written, in the background. What a crash takes with it is the last minute's.
"""

from collections import OrderedDict

import sqlalchemy as sa
import structlog
from sqlalchemy import Connection

from headland.database import Database
from headland.identity.tables import application, certificate, secret

#: Milliseconds for which one use stands for all.
GRAIN = 60_000

#: Credentials remembered by a process; of one that is forgotten the next use is written again.
MOST_REMEMBERED = 4096

_log = structlog.get_logger("headland.identity")


class Usage:
    """What this process has written lately."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._written: OrderedDict[str, int] = OrderedDict()

    def used(self, client_id: str, credential_id: str, now: int) -> None:
        """Somebody was let in as that application, by that secret or certificate (`now` in milliseconds since
        1970).
        """
        if abs(now - self._written.get(credential_id, -GRAIN)) < GRAIN:
            return
        self._written.pop(credential_id, None)
        self._written[credential_id] = now
        if len(self._written) > MOST_REMEMBERED:
            self._written.popitem(last=False)
        self._database.write_behind(
            lambda connection: _write(connection, client_id, credential_id, now), self._failed
        )

    def _failed(self, error: BaseException) -> None:
        # It is written with the next use.
        self._written.clear()
        _log.warning("usage.unwritten", problem=type(error).__name__)


def _write(connection: Connection, client_id: str, credential_id: str, now: int) -> None:
    for table, key, value in (
        (application, application.c.client_id, client_id),
        (secret, secret.c.id, credential_id),
        (certificate, certificate.c.id, credential_id),
    ):
        # Other processes write of the same credential: within the minute, one of them.
        stale = sa.or_(table.c.last_used_at.is_(None), table.c.last_used_at <= now - GRAIN)
        connection.execute(table.update().where(key == value, stale).values(last_used_at=now))
