"""Certificates of applications, assertions that were used, who made a secret or a tenant, and when an
application, a secret or a certificate was last used.
"""

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"


def upgrade() -> None:
    op.add_column("tenant", sa.Column("created_by", sa.String(36)))
    op.add_column("application", sa.Column("last_used_at", sa.BigInteger))
    op.add_column("secret", sa.Column("created_by", sa.String(36)))
    op.add_column("secret", sa.Column("last_used_at", sa.BigInteger))
    op.create_table(
        "certificate",
        sa.Column("id", sa.String(36), primary_key=True),
        sa.Column(
            "client_id",
            sa.String(36),
            sa.ForeignKey("application.client_id", ondelete="CASCADE"),
            nullable=False,
            index=True,
        ),
        sa.Column("thumbprint", sa.LargeBinary(20), nullable=False),
        sa.Column("thumbprint_sha256", sa.LargeBinary(32), nullable=False),
        sa.Column("der", sa.LargeBinary, nullable=False),
        sa.Column("subject", sa.Text, nullable=False),
        sa.Column("name", sa.Text),
        sa.Column("starts_at", sa.BigInteger, nullable=False),
        sa.Column("expires_at", sa.BigInteger, nullable=False),
        sa.Column("created_at", sa.BigInteger, nullable=False),
        sa.Column("created_by", sa.String(36)),
        sa.Column("last_used_at", sa.BigInteger),
        sa.UniqueConstraint("client_id", "thumbprint_sha256"),
    )
    op.create_table(
        "used_assertion",
        sa.Column("client_id", sa.String(36), primary_key=True),
        sa.Column("jti_hash", sa.LargeBinary(32), primary_key=True),
        sa.Column("expires_at", sa.BigInteger, nullable=False, index=True),
    )
