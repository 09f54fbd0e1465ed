"""Bytes that belong to documents, or did, or may."""

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"


def upgrade() -> None:
    # Some stores that were made before Alembic kept their revision have them.
    op.create_table(
        "files",
        sa.Column("name", sa.Text, primary_key=True),
        sa.Column("state", sa.Text, nullable=False),
        sa.Column("owner", sa.Text, nullable=False),
        sa.Column("family", sa.Text),
        sa.Column("party", sa.Text),
        sa.Column("within", sa.Text),
        sa.Column("id", sa.Text),
        sa.Column("size", sa.BigInteger),
        sa.Column("sha256", sa.LargeBinary(32)),
        if_not_exists=True,
    )
    op.create_index("ix_files_family", "files", ["family", "party", "within", "id"], if_not_exists=True)
    op.create_index("ix_files_state", "files", ["state"], if_not_exists=True)
