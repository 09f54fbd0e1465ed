"""Rows of subscriptions, of what they have accepted and registered, and of who asks for one."""

from dataclasses import asdict

import sqlalchemy as sa
from sqlalchemy import Connection

from headland.control.records import AccessRequest, Subscription
from headland.control.tables import access_request, provider_registration, subscription, terms_acceptance


def find(connection: Connection, id_: str) -> Subscription | None:
    """The subscription with that id, in lower case."""
    row = connection.execute(sa.select(subscription).where(subscription.c.id == id_)).first()
    return Subscription(*row) if row is not None else None


def all_of(connection: Connection, tenant_id: str | None = None) -> list[Subscription]:
    """A tenant's subscriptions, or all there are, by id."""
    wanted = sa.select(subscription).order_by(subscription.c.id)
    if tenant_id is not None:
        wanted = wanted.where(subscription.c.tenant_id == tenant_id)
    return [Subscription(*row) for row in connection.execute(wanted)]


def add(connection: Connection, new: Subscription) -> None:
    connection.execute(subscription.insert().values(asdict(new)))


def remove(connection: Connection, id_: str) -> None:
    """What it has accepted and registered goes with it. There is nothing in it."""
    for table in (terms_acceptance, provider_registration):
        connection.execute(table.delete().where(table.c.subscription_id == id_))
    connection.execute(subscription.delete().where(subscription.c.id == id_))


def accept_terms(connection: Connection, id_: str, version: str, by: str, now: int) -> None:
    """Keep who accepted that version first, and when."""
    if accepted(connection, id_, version) is None:
        connection.execute(
            terms_acceptance.insert().values(
                subscription_id=id_, version=version, accepted_by=by, accepted_at=now
            )
        )


def accepted(connection: Connection, id_: str, version: str) -> int | None:
    """When the subscription accepted that version, if it did."""
    return connection.execute(
        sa.select(terms_acceptance.c.accepted_at).where(
            terms_acceptance.c.subscription_id == id_, terms_acceptance.c.version == version
        )
    ).scalar()


def registered(connection: Connection, id_: str) -> set[str]:
    """The namespaces that the subscription has registered."""
    found = sa.select(provider_registration.c.namespace).where(provider_registration.c.subscription_id == id_)
    return set(connection.execute(found).scalars())


def register(connection: Connection, id_: str, namespace: str, now: int) -> None:
    """It is not registered yet."""
    connection.execute(
        provider_registration.insert().values(subscription_id=id_, namespace=namespace, registered_at=now)
    )


def unregister(connection: Connection, id_: str, namespace: str) -> None:
    connection.execute(
        provider_registration.delete().where(
            provider_registration.c.subscription_id == id_, provider_registration.c.namespace == namespace
        )
    )


def add_request(connection: Connection, new: AccessRequest) -> None:
    connection.execute(access_request.insert().values(asdict(new)))


def find_request(connection: Connection, id_: str) -> AccessRequest | None:
    row = connection.execute(sa.select(access_request).where(access_request.c.id == id_)).first()
    return AccessRequest(*row) if row is not None else None


def requests(connection: Connection, requested_by: str | None) -> list[AccessRequest]:
    """All requests, or those of one who asks, oldest first."""
    wanted = sa.select(access_request)
    if requested_by is not None:
        wanted = wanted.where(access_request.c.requested_by == requested_by)
    rows = connection.execute(wanted.order_by(access_request.c.requested_at, access_request.c.id))
    return [AccessRequest(*row) for row in rows]


def pending_request(connection: Connection, subscription_id: str) -> AccessRequest | None:
    """The request for that subscription that nobody has decided yet."""
    row = connection.execute(
        sa.select(access_request).where(
            access_request.c.subscription_id == subscription_id, access_request.c.state == "Pending"
        )
    ).first()
    return AccessRequest(*row) if row is not None else None


def decide(connection: Connection, decided: AccessRequest) -> None:
    """Keep how it was decided."""
    connection.execute(
        access_request.update()
        .where(access_request.c.id == decided.id)
        .values(
            state=decided.state,
            decided_by=decided.decided_by,
            decided_at=decided.decided_at,
            comment=decided.comment,
        )
    )
