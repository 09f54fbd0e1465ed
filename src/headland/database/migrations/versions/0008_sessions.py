"""Interactive sessions."""

import sqlalchemy as sa
from alembic import op

revision = "0008"
down_revision = "0007"

_LIVE_NAME = "name IS NOT NULL AND finished_at IS NULL AND delete_requested_at IS NULL"
_UNFINISHED = "finished_at IS NULL OR delete_requested_at IS NOT NULL"


def upgrade() -> None:
    op.create_table(
        "session",
        sa.Column("id", sa.Integer, primary_key=True, autoincrement=False),
        sa.Column("run_key", sa.String(32), nullable=False, unique=True),
        sa.Column("name", sa.Text),
        sa.Column("owner", sa.Text),
        sa.Column("proxy_user", sa.Text),
        sa.Column("kind", sa.String(16), nullable=False),
        sa.Column("state", sa.String(16), nullable=False),
        sa.Column("request", sa.LargeBinary, nullable=False),
        sa.Column("app_id", sa.Text),
        sa.Column("app_info", sa.LargeBinary),
        sa.Column("created_at", sa.BigInteger, nullable=False),
        sa.Column("claimed_by", sa.Text),
        sa.Column("claimed_at", sa.BigInteger),
        sa.Column("started_at", sa.BigInteger),
        sa.Column("finished_at", sa.BigInteger),
        sa.Column("report", sa.LargeBinary),
        sa.Column("log_tail", sa.LargeBinary),
        sa.Column("stop_requested_at", sa.BigInteger),
        sa.Column("stop_reason", sa.Text),
        sa.Column("delete_requested_at", sa.BigInteger),
    )
    for name, unique, columns, rows in (
        ("uq_session_live_name", True, ["name"], _LIVE_NAME),
        ("ix_session_unfinished", False, ["id"], _UNFINISHED),
    ):
        op.create_index(
            name,
            "session",
            columns,
            unique=unique,
            sqlite_where=sa.text(rows),
            postgresql_where=sa.text(rows),
        )
    op.create_index("ix_session_finished", "session", ["finished_at", "id"])
    sequence = sa.table("batch_sequence", sa.column("name"), sa.column("next_id"))
    op.bulk_insert(sequence, [{"name": "session", "next_id": 0}])
