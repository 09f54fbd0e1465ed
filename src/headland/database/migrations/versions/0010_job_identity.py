"""Who submitted a job, as tokens name it, and which job made a change that is on record."""

import sqlalchemy as sa
from alembic import op

revision = "0010"
down_revision = "0009"


def upgrade() -> None:
    op.add_column("batch", sa.Column("submitter", sa.LargeBinary))
    op.add_column("session", sa.Column("submitter", sa.LargeBinary))
    op.add_column("audit_entry", sa.Column("by_job", sa.Text))
