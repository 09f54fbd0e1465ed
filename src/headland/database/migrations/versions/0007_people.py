"""People and their sessions."""

import sqlalchemy as sa
from alembic import op

revision = "0007"
down_revision = "0005"


def upgrade() -> None:
    op.create_table(
        "person",
        sa.Column("object_id", sa.String(36), primary_key=True),
        sa.Column("tenant_id", sa.String(36), sa.ForeignKey("tenant.id"), nullable=False),
        sa.Column("user_name", sa.String(120), nullable=False),
        sa.Column("user_key", sa.String(240), nullable=False, unique=True),
        sa.Column("name", sa.Text, nullable=False),
        sa.Column("administrator", sa.Boolean, nullable=False),
        sa.Column("password_hash", sa.Text),
        sa.Column("totp_secret", sa.LargeBinary(20)),
        sa.Column("totp_step", sa.BigInteger),
        sa.Column("set_up_hash", sa.LargeBinary(32)),
        sa.Column("set_up_expires_at", sa.BigInteger),
        sa.Column("created_at", sa.BigInteger, nullable=False),
        sa.Column("created_by", sa.String(36)),
        sa.Column("disabled_at", sa.BigInteger),
        sa.Column("last_used_at", sa.BigInteger),
    )
    op.create_table(
        "person_session",
        sa.Column("key_hash", sa.LargeBinary(32), primary_key=True),
        sa.Column("id", sa.String(36), nullable=False, unique=True),
        sa.Column("person_id", sa.String(36), nullable=False),
        sa.Column("outside", sa.Text),
        sa.Column("complete", sa.Boolean, nullable=False),
        sa.Column("agent", sa.Text, nullable=False),
        sa.Column("created_at", sa.BigInteger, nullable=False),
        sa.Column("used_at", sa.BigInteger, nullable=False),
        sa.Column("expires_at", sa.BigInteger, nullable=False),
    )
    op.create_index("ix_person_session_person_id", "person_session", ["person_id"])
    op.create_index("ix_person_session_expires_at", "person_session", ["expires_at"])
