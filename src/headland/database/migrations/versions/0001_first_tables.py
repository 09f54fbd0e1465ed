"""Tables of the identity and jobs services."""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None


def upgrade() -> None:
    op.create_table(
        "tenant",
        sa.Column("id", sa.String(36), primary_key=True),
        sa.Column("name", sa.Text, nullable=False),
        sa.Column("created_at", sa.BigInteger, nullable=False),
    )
    op.create_table(
        "application",
        sa.Column("client_id", sa.String(36), primary_key=True),
        sa.Column("tenant_id", sa.String(36), sa.ForeignKey("tenant.id"), nullable=False),
        sa.Column("object_id", sa.String(36), nullable=False, unique=True),
        sa.Column("name", sa.Text, nullable=False),
        sa.Column("administrator", sa.Boolean, nullable=False),
        sa.Column("created_at", sa.BigInteger, nullable=False),
        sa.Column("created_by", sa.String(36)),
        sa.Column("disabled_at", sa.BigInteger),
    )
    op.create_table(
        "secret",
        sa.Column("id", sa.String(36), primary_key=True),
        sa.Column(
            "client_id",
            sa.String(36),
            sa.ForeignKey("application.client_id", ondelete="CASCADE"),
            nullable=False,
            index=True,
        ),
        sa.Column("hash", sa.LargeBinary(32), nullable=False),
        sa.Column("hint", sa.String(3), nullable=False),
        sa.Column("name", sa.Text),
        sa.Column("created_at", sa.BigInteger, nullable=False),
        sa.Column("expires_at", sa.BigInteger, nullable=False),
    )
    op.create_table(
        "signing_key",
        sa.Column("kid", sa.String(43), primary_key=True),
        sa.Column("private_key", sa.Text, nullable=False),
        sa.Column("created_at", sa.BigInteger, nullable=False),
    )
    op.create_table(
        "batch_sequence",
        sa.Column("name", sa.String(16), primary_key=True),
        sa.Column("next_id", sa.Integer, nullable=False),
    )
    op.execute("INSERT INTO batch_sequence (name, next_id) VALUES ('batch', 0)")
    op.create_table(
        "batch",
        sa.Column("id", sa.Integer, primary_key=True, autoincrement=False),
        sa.Column("run_key", sa.String(32), nullable=False, unique=True),
        sa.Column("name", sa.Text),
        sa.Column("owner", sa.Text),
        sa.Column("proxy_user", sa.Text),
        sa.Column("state", sa.String(16), nullable=False),
        sa.Column("request", sa.LargeBinary, nullable=False),
        sa.Column("app_id", sa.Text),
        sa.Column("app_info", sa.LargeBinary),
        sa.Column("created_at", sa.BigInteger, nullable=False),
        sa.Column("claimed_by", sa.Text),
        sa.Column("claimed_at", sa.BigInteger),
        sa.Column("started_at", sa.BigInteger),
        sa.Column("finished_at", sa.BigInteger),
        sa.Column("exit_code", sa.Integer),
        sa.Column("report", sa.LargeBinary),
        sa.Column("log_tail", sa.LargeBinary),
        sa.Column("kill_requested_at", sa.BigInteger),
        sa.Column("delete_requested_at", sa.BigInteger),
    )
    op.create_index(
        "ix_batch_unfinished",
        "batch",
        ["id"],
        sqlite_where=sa.text("finished_at IS NULL"),
        postgresql_where=sa.text("finished_at IS NULL"),
    )
    op.create_index(
        "ix_batch_deleted",
        "batch",
        ["id"],
        sqlite_where=sa.text("delete_requested_at IS NOT NULL"),
        postgresql_where=sa.text("delete_requested_at IS NOT NULL"),
    )
    live = "name IS NOT NULL AND finished_at IS NULL AND delete_requested_at IS NULL"
    op.create_index(
        "uq_batch_live_name",
        "batch",
        ["name"],
        unique=True,
        sqlite_where=sa.text(live),
        postgresql_where=sa.text(live),
    )
