"""Principals of issuers elsewhere have object ids of their own, made from issuer, tenant and subject.

Until now they had the very text of their token, which could be somebody else's object id. What they own is found by who
submitted it. Roles say nothing of issuers: where there is one issuer alone, with a tenant of its own, those of whom
nobody here knows are its; with several they stay with nobody, and are assigned anew. They sign in to the portal anew.
"""

import json
import uuid

import sqlalchemy as sa
from alembic import context, op

revision = "0012"
down_revision = "0011"


def upgrade() -> None:
    connection = op.get_bind()
    connection.execute(sa.text("DELETE FROM person_session WHERE outside IS NOT NULL"))
    for kind in ("batch", "session"):
        _give_owners(connection, kind)
    issuers = context.config.attributes.get("issuers", ())
    if len(issuers) == 1 and issuers[0][1]:
        _give(connection, "role_assignment", "name", "principal_id", issuers[0])
        _give(connection, "access_request", "id", "requested_by", issuers[0])


def _give_owners(connection: sa.Connection, kind: str) -> None:
    table = sa.table(kind, sa.column("id"), sa.column("owner"), sa.column("submitter", sa.LargeBinary))
    known = sa.select(table.c.id, table.c.submitter).where(table.c.submitter.is_not(None))
    for id_, submitter in connection.execute(known).fetchall():
        said = json.loads(bytes(submitter))
        if not said.get("issuer"):
            continue
        object_id = _object_id(said["issuer"], said["tenant_id"], said["object_id"])
        said |= {"object_id": object_id, "client_id": f"{said['client_id']}@{said['issuer']}"}
        values = {"owner": object_id, "submitter": json.dumps(said).encode()}
        connection.execute(table.update().where(table.c.id == id_).values(values))


def _give(connection: sa.Connection, name: str, key: str, column: str, issuer: tuple[str, str]) -> None:
    table = sa.table(name, sa.column(key), sa.column(column))
    rows = connection.execute(
        sa.text(
            f"SELECT {key}, {column} FROM {name} WHERE {column} NOT IN (SELECT object_id FROM application)"  # noqa: S608
            f" AND {column} NOT IN (SELECT object_id FROM person)"
        )
    ).fetchall()
    for id_, principal in rows:
        changed = {column: _object_id(*issuer, principal)}
        connection.execute(table.update().where(table.c[key] == id_).values(changed))


def _object_id(issuer: str, tenant: str, subject: str) -> str:
    # As `headland.security.outside.claims` makes it, today.
    named = json.dumps([issuer, tenant, subject], separators=(",", ":"), ensure_ascii=False)
    return str(uuid.uuid5(uuid.NAMESPACE_URL, named))
