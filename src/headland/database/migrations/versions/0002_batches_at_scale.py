"""Queues of batches, keys that make a submission repeatable, and what retention looks for."""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"


def upgrade() -> None:
    op.add_column("batch", sa.Column("queue", sa.Text))
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


def _index(name: str, columns: list[str | sa.TextClause], rows: str) -> None:
    """An index of those rows alone that are looked for by it: all others cost it nothing."""
    op.create_index(name, "batch", columns, sqlite_where=sa.text(rows), postgresql_where=sa.text(rows))
