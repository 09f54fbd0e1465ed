"""Rows that wait, by queue and owner: what it takes to find who is next without reading them all.

Each of these is a few seeks in an index of the waiting (or of the running), however many wait.
"""

from dataclasses import dataclass

from sqlalchemy import Connection, bindparam, func, literal_column, select, text

from headland.jobs.batches.tables import DEFAULT_QUEUE, batch


@dataclass(frozen=True, slots=True, order=True)
class Group:
    """Batches that the same limits hold for."""

    queue: str
    #: Empty for callers who showed nothing.
    owner: str


# Literals and no parameters: the index is on these very expressions.
_queue = func.coalesce(batch.c.queue, literal_column(f"'{DEFAULT_QUEUE}'"))
_owner = func.coalesce(batch.c.owner, literal_column("''"))
_WAITS = (
    batch.c.finished_at.is_(None),
    batch.c.claimed_by.is_(None),
    batch.c.kill_requested_at.is_(None),
    batch.c.delete_requested_at.is_(None),
)
_RUNNING = select(_queue, _owner, batch.c.detached_at.is_not(None)).where(
    batch.c.claimed_by == bindparam("node"), batch.c.finished_at.is_(None)
)
_FIRST = select(batch.c.id).where(*_WAITS).order_by(batch.c.id).limit(bindparam("size"))
_FOLLOWING = (
    select(batch.c.id)
    .where(
        *_WAITS, _queue == bindparam("queue"), _owner == bindparam("owner"), batch.c.id > bindparam("after")
    )
    .order_by(batch.c.id)
    .limit(1)
)
_OLDEST = select(batch.c.created_at).where(*_WAITS).order_by(batch.c.id).limit(1)

#: From each group's first batch a seek to the next group's first (a loose index scan): the next owner in the
#: same queue, else the first of the next queue. SQL has no shorter form that an index serves.
_HEADS = text(
    # Nothing of it comes from outside.
    """
    WITH RECURSIVE head (id) AS (
        SELECT (SELECT id FROM batch WHERE {waits} ORDER BY {queue}, {owner}, id LIMIT 1)
        UNION ALL
        SELECT coalesce(
            (
                SELECT id FROM batch
                WHERE {waits} AND {queue} = coalesce(former.queue, '{default}')
                AND {owner} > coalesce(former.owner, '')
                ORDER BY {owner}, id LIMIT 1
            ),
            (
                SELECT id FROM batch WHERE {waits} AND {queue} > coalesce(former.queue, '{default}')
                ORDER BY {queue}, {owner}, id LIMIT 1
            )
        )
        FROM head JOIN batch AS former ON former.id = head.id
    )
    SELECT {queue}, {owner}, batch.id FROM head JOIN batch ON batch.id = head.id
    """.format(  # noqa: S608
        waits="batch.finished_at IS NULL AND batch.claimed_by IS NULL"
        " AND batch.kill_requested_at IS NULL AND batch.delete_requested_at IS NULL",
        queue=f"coalesce(batch.queue, '{DEFAULT_QUEUE}')",
        owner="coalesce(batch.owner, '')",
        default=DEFAULT_QUEUE,
    )
)


def running(connection: Connection, node: str) -> tuple[list[Group], list[Group]]:
    """The group of each batch that a node has taken on and that has not ended: those that run on the node, and
    those that a cluster has taken over.
    """
    found: tuple[list[Group], list[Group]] = [], []
    for queue, owner, detached in connection.execute(_RUNNING, {"node": node}):
        found[bool(detached)].append(Group(queue, owner))
    return found


def first(connection: Connection, size: int) -> list[int]:
    """Ids of the `size` that have waited longest."""
    return list(connection.execute(_FIRST, {"size": size}).scalars())


def heads(connection: Connection) -> dict[Group, int]:
    """Of each group in which somebody waits, the id of who has waited longest."""
    return {Group(queue, owner): batch_id for queue, owner, batch_id in connection.execute(_HEADS)}


def following(connection: Connection, group: Group, after: int) -> int | None:
    """The next in a group after the batch `after`."""
    values = {"queue": group.queue, "owner": group.owner, "after": after}
    return connection.execute(_FOLLOWING, values).scalar()


def oldest(connection: Connection) -> int | None:
    """When the batch that has waited longest was created; None where nobody waits."""
    return connection.execute(_OLDEST).scalar()
