"""Queues of batches, keys that make a submission repeatable, and what retention looks for."""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"


def upgrade() -> None:
    op.add_column("batch", sa.Column("queue", sa.Text))
    op.add_column("batch", sa.Column("detached_at", sa.BigInteger))
    op.add_column("batch", sa.Column("handle", sa.Text))
    op.create_index("ix_batch_finished", "batch", ["finished_at", "id"])
    op.create_table(
        "batch_submission_key",
        sa.Column("owner", sa.Text, primary_key=True),
        sa.Column("key", sa.Text, primary_key=True),
        sa.Column("fingerprint", sa.LargeBinary(32), nullable=False),
        sa.Column("batch_id", sa.Integer, nullable=False),
        sa.Column("created_at", sa.BigInteger, nullable=False),
    )
    op.create_index("ix_batch_submission_key_created", "batch_submission_key", ["created_at"])
