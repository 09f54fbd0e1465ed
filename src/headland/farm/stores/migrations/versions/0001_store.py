"""What a store is."""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None


def upgrade() -> None:
    op.create_table(
        "store",
        sa.Column("id", sa.Integer, primary_key=True, autoincrement=False),
        sa.Column("catalogue", sa.String(64), nullable=False),
        sa.Column("secret", sa.LargeBinary(32), nullable=False),
        # Stores that were made before Alembic kept their revision have it, and a `version` that nobody asks for.
        if_not_exists=True,
    )
