"""Named Python environments of jobs."""

import sqlalchemy as sa
from alembic import op

revision = "0009"
down_revision = "0008"


def upgrade() -> None:
    op.create_table(
        "environment",
        sa.Column("name", sa.Text, primary_key=True),
        sa.Column("key", sa.String(32), nullable=False),
        sa.Column("owner", sa.Text),
        sa.Column("state", sa.String(16), nullable=False),
        sa.Column("requirements", sa.Text, nullable=False),
        sa.Column("digest", sa.String(32)),
        sa.Column("problem", sa.Text),
        sa.Column("output", sa.Text, nullable=False),
        sa.Column("created_at", sa.BigInteger, nullable=False),
        sa.Column("ended_at", sa.BigInteger),
    )
