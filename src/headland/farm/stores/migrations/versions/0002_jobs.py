"""Jobs, and what a cascade has found while it lasts."""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"


def upgrade() -> None:
    # Some stores that were made before Alembic kept their revision have them.
    op.create_table(
        "jobs",
        sa.Column("id", sa.Text, primary_key=True),
        sa.Column("kind", sa.Text, nullable=False),
        sa.Column("input", sa.LargeBinary, nullable=False),
        sa.Column("state", sa.Text, nullable=False),
        sa.Column("message", sa.Text, nullable=False),
        sa.Column("error_code", sa.Text),
        sa.Column("created_by", sa.Text, nullable=False),
        sa.Column("created", sa.BigInteger, nullable=False),
        sa.Column("acted", sa.BigInteger),
        sa.Column("started", sa.BigInteger),
        sa.Column("ended", sa.BigInteger),
        sa.Column("attempts", sa.Integer, nullable=False),
        if_not_exists=True,
    )
    op.create_index("ix_jobs_ended", "jobs", ["ended", "created"], if_not_exists=True)
    op.create_table(
        "going",
        sa.Column("family", sa.Text, primary_key=True),
        sa.Column("seq", sa.BigInteger, primary_key=True),
        sa.Column("id", sa.Text, nullable=False),
        sa.Column("within", sa.Text, nullable=False),
        if_not_exists=True,
    )
