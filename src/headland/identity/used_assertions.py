"""Assertions that were used: each `jti` opens the token endpoint once (RFC 7523 section 3, item 7)."""

import hashlib

import sqlalchemy as sa
from sqlalchemy import Connection

from headland.identity.tables import used_assertion


def use(connection: Connection, client_id: str, jti: str, expires_at: int, now: int) -> bool:
    """Remember that a client has used an assertion with that `jti`, until it expires (milliseconds since 1970).

    Returns:
        Whether this is the first time.

    Raises:
        sqlalchemy.exc.IntegrityError: another process has just done the same.
    """
    digest = hashlib.sha256(jti.encode("utf-8", "surrogatepass")).digest()
    connection.execute(used_assertion.delete().where(used_assertion.c.expires_at <= now))
    used = sa.select(sa.literal(1)).where(
        used_assertion.c.client_id == client_id, used_assertion.c.jti_hash == digest
    )
    if connection.execute(used).first() is not None:
        return False
    connection.execute(
        used_assertion.insert().values(client_id=client_id, jti_hash=digest, expires_at=expires_at)
    )
    return True
