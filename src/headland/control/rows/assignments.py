"""Rows of role assignments."""

from dataclasses import asdict

import sqlalchemy as sa
from sqlalchemy import Connection

from headland.control.records import Assignment
from headland.control.tables import role_assignment


def find(connection: Connection, name: str) -> Assignment | None:
    row = connection.execute(sa.select(role_assignment).where(role_assignment.c.name == name)).first()
    return Assignment(*row) if row is not None else None


def of_principal(connection: Connection, principal_id: str) -> list[Assignment]:
    """Those of one principal, by name."""
    return _all(connection, role_assignment.c.principal_id == principal_id)


def at_or_below(connection: Connection, scope_key: str) -> list[Assignment]:
    """Those at a scope and below it, by name."""
    return _all(connection, _within(scope_key))


def at(connection: Connection, scope_keys: list[str]) -> list[Assignment]:
    """Those at exactly these scopes, by name."""
    return _all(connection, role_assignment.c.scope_key.in_(scope_keys))


def add(connection: Connection, new: Assignment) -> None:
    connection.execute(role_assignment.insert().values(asdict(new)))


def describe(connection: Connection, name: str, description: str | None, by: str, now: int) -> None:
    connection.execute(
        role_assignment.update()
        .where(role_assignment.c.name == name)
        .values(description=description, changed_by=by, changed_at=now)
    )


def delete(connection: Connection, name: str) -> None:
    connection.execute(role_assignment.delete().where(role_assignment.c.name == name))


def delete_at_or_below(connection: Connection, scope_key: str) -> None:
    """Those at a scope that is no more, and below it."""
    connection.execute(role_assignment.delete().where(_within(scope_key)))


def _within(scope_key: str) -> sa.ColumnElement[bool]:
    if scope_key == "/":
        return sa.true()
    below = role_assignment.c.scope_key.startswith(f"{scope_key}/", autoescape=True)
    return sa.or_(role_assignment.c.scope_key == scope_key, below)


def _all(connection: Connection, condition: sa.ColumnElement[bool]) -> list[Assignment]:
    rows = connection.execute(sa.select(role_assignment).where(condition).order_by(role_assignment.c.name))
    return [Assignment(*row) for row in rows]
