"""What a cascade takes away outlives a transaction."""

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"


def upgrade() -> None:
    # What it had was of one transaction, so it is empty.
    op.drop_table("going")
    op.create_table(
        "cascades",
        sa.Column("family", sa.Text, primary_key=True),
        sa.Column("party", sa.Text, nullable=False),
        sa.Column("id", sa.Text, nullable=False),
        sa.Column("within", sa.Text, nullable=False),
        sa.Column("effective", sa.Boolean, nullable=False),
        sa.Column("followed", sa.BigInteger, nullable=False),
    )
    op.create_table(
        "going",
        sa.Column("number", sa.BigInteger().with_variant(sa.Integer, "sqlite"), primary_key=True),
        sa.Column("family", sa.Text, nullable=False),
        sa.Column("first", sa.BigInteger, nullable=False),
        sa.Column("last", sa.BigInteger, nullable=False),
        sa.Column("id", sa.Text),
        sa.Column("within", sa.Text),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_going_first", "going", ["family", "first"], unique=True)
    op.create_index("ix_going_id", "going", ["family", "id"])
