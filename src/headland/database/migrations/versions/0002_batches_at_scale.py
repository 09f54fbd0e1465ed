"""Queues of batches, records as they go over the wire, keys that make a submission repeatable, and what
retention looks for.
"""

import json

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"


def upgrade() -> None:
    op.add_column("batch", sa.Column("queue", sa.Text))
    op.add_column("batch", sa.Column("record", sa.LargeBinary))
    op.add_column("batch", sa.Column("detached_at", sa.BigInteger))
    op.add_column("batch", sa.Column("handle", sa.Text))
    _fill_records(op.get_bind())
    # Filtered lists and their totals are answered from these alone, whatever else a row holds.
    _index("ix_batch_state", ["state", "id"], "delete_requested_at IS NULL")
    _index("ix_batch_owner", ["owner", "id", "state"], "delete_requested_at IS NULL")
    _index("ix_batch_name", ["name", "id"], "name IS NOT NULL")
    _index(
        "ix_batch_finished", ["finished_at", "id"], "finished_at IS NOT NULL AND delete_requested_at IS NULL"
    )
    _index("ix_batch_claimed", ["claimed_by", "id"], "finished_at IS NULL AND claimed_by IS NOT NULL")
    _index("ix_batch_unwanted", ["id"], "finished_at IS NULL AND kill_requested_at IS NOT NULL")
    _index(
        "ix_batch_waiting",
        [sa.text("coalesce(queue, 'default')"), sa.text("coalesce(owner, '')"), "id"],
        "finished_at IS NULL AND claimed_by IS NULL"
        " AND kill_requested_at IS NULL AND delete_requested_at IS NULL",
    )
    op.create_table(
        "batch_submission_key",
        sa.Column("owner", sa.Text, primary_key=True),
        sa.Column("key", sa.Text, primary_key=True),
        sa.Column("fingerprint", sa.LargeBinary(32), nullable=False),
        sa.Column("batch_id", sa.Integer, nullable=False),
        sa.Column("created_at", sa.BigInteger, nullable=False),
    )
    op.create_index("ix_batch_submission_key_created", "batch_submission_key", ["created_at"])


def _fill_records(connection: sa.Connection) -> None:
    batch = sa.table("batch", *map(sa.column, ("id", "record", *_SHOWN, "app_info")))
    records = [
        {"of": row["id"], "made": _record(row)} for row in connection.execute(sa.select(batch)).mappings()
    ]
    if records:
        wanted = sa.update(batch).where(batch.c.id == sa.bindparam("of"))
        connection.execute(wanted.values(record=sa.bindparam("made")), records)


#: Columns and members of a record, in its order. What it shows of the application and the log comes last.
_SHOWN = {
    "name": "name",
    "owner": "owner",
    "proxy_user": "proxyUser",
    "state": "state",
    "app_id": "appId",
}
_NOTHING_KNOWN = {"driverLogUrl": None, "sparkUiUrl": None, "executorLogUrls": None}


def _record(row: sa.RowMapping) -> bytes:
    """The batch's JSON up to and without its log."""
    shown = {"id": row["id"]} | {member: row[column] for column, member in _SHOWN.items()}
    shown["appInfo"] = _NOTHING_KNOWN | (json.loads(row["app_info"]) if row["app_info"] else {})
    return json.dumps(shown, ensure_ascii=False, separators=(",", ":"))[:-1].encode() + b","


def _index(name: str, columns: list[str | sa.TextClause], rows: str) -> None:
    """An index of those rows alone that are looked for by it: all others cost it nothing."""
    op.create_index(name, "batch", columns, sqlite_where=sa.text(rows), postgresql_where=sa.text(rows))
