"""Rows of environments: functions that take a connection. Rules are elsewhere."""

from dataclasses import dataclass

import sqlalchemy as sa
from sqlalchemy import Connection, delete, insert, select, update

from headland.database import metadata
from headland.jobs.environments.wire import State

#: Times are milliseconds since the epoch.
environment = sa.Table(
    "environment",
    metadata,
    sa.Column("name", sa.Text, primary_key=True),
    #: Tells a build's row from one of the same name that was made after it.
    sa.Column("key", sa.String(32), nullable=False),
    sa.Column("owner", sa.Text),
    sa.Column("state", sa.String(16), nullable=False),
    sa.Column("requirements", sa.Text, nullable=False),
    #: Names the content's folder; there once it is `ready`.
    sa.Column("digest", sa.String(32)),
    sa.Column("problem", sa.Text),
    #: What the build has said.
    sa.Column("output", sa.Text, nullable=False),
    sa.Column("created_at", sa.BigInteger, nullable=False),
    sa.Column("ended_at", sa.BigInteger),
)


@dataclass(frozen=True, slots=True)
class EnvironmentRow:
    """A row, as it is."""

    name: str
    key: str
    owner: str | None
    state: State
    requirements: str
    digest: str | None
    problem: str | None
    output: str
    created_at: int
    ended_at: int | None


def create(connection: Connection, new: EnvironmentRow) -> EnvironmentRow | None:
    """Put a row in; the one that has its name already, if there is one, and then nothing is put in."""
    found = get(connection, new.name)
    if found is None:
        values = {column.name: getattr(new, column.name) for column in environment.columns}
        connection.execute(insert(environment).values(values))
    return found


def get(connection: Connection, name: str) -> EnvironmentRow | None:
    row = connection.execute(select(environment).where(environment.c.name == name)).one_or_none()
    return None if row is None else EnvironmentRow(*row)


def everything(connection: Connection) -> list[EnvironmentRow]:
    """All rows, by name."""
    return [
        EnvironmentRow(*row) for row in connection.execute(select(environment).order_by(environment.c.name))
    ]


def next_to_build(connection: Connection) -> EnvironmentRow | None:
    """The one that has waited longest."""
    waiting = select(environment).where(environment.c.state == "building")
    row = connection.execute(waiting.order_by(environment.c.created_at).limit(1)).one_or_none()
    return None if row is None else EnvironmentRow(*row)


def output_of(connection: Connection, key: str) -> str | None:
    """What a build has said so far; None where its row is gone."""
    return connection.scalar(select(environment.c.output).where(environment.c.key == key))


def tell(connection: Connection, key: str, output: str) -> None:
    """Put on record what a build has said so far."""
    going_on = update(environment).where(environment.c.key == key, environment.c.state == "building")
    connection.execute(going_on.values(output=output))


def finish(
    connection: Connection,
    key: str,
    now: int,
    *,
    digest: str | None = None,
    problem: str | None = None,
    output: str = "",
) -> bool:
    """Put a build's end on record: a `digest`, or the `problem`. False where the row is gone."""
    ended = update(environment).where(environment.c.key == key, environment.c.state == "building")
    state = "ready" if digest is not None else "failed"
    values = {"state": state, "digest": digest, "problem": problem, "output": output, "ended_at": now}
    return connection.execute(ended.values(values)).rowcount == 1


def remove(connection: Connection, key: str) -> bool:
    """Remove a row; False where it is gone already."""
    return connection.execute(delete(environment).where(environment.c.key == key)).rowcount == 1
