"""Where a person's session was begun from."""

import sqlalchemy as sa
from alembic import op

revision = "0011"
down_revision = "0010"


def upgrade() -> None:
    op.add_column("person_session", sa.Column("address", sa.Text, nullable=False, server_default=""))
