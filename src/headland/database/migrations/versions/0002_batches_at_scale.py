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
    _fill_records(op.get_bind())
    op.create_index("ix_batch_finished", "batch", ["finished_at", "id"])
    # Filtered lists and their totals are answered from these alone, whatever else a row holds.
    visible = sa.text("delete_requested_at IS NULL")
    for name, columns in (("state", ["state", "id"]), ("owner", ["owner", "id", "state"])):
        op.create_index(f"ix_batch_{name}", "batch", columns, sqlite_where=visible, postgresql_where=visible)
    named = sa.text("name IS NOT NULL")
    op.create_index("ix_batch_name", "batch", ["name", "id"], sqlite_where=named, postgresql_where=named)
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
