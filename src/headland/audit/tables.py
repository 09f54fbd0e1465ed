"""The table of the trail. Triggers, which its migration makes, refuse to change or remove what is in it."""

import sqlalchemy as sa

from headland.database import metadata

entry = sa.Table(
    "audit_entry",
    metadata,
    sa.Column("sequence", sa.BigInteger, primary_key=True, autoincrement=False),
    sa.Column("at", sa.BigInteger, nullable=False),
    sa.Column("action", sa.Text, nullable=False),
    sa.Column("target", sa.Text, nullable=False),
    sa.Column("tenant_id", sa.String(36)),
    sa.Column("by_client_id", sa.Text),
    sa.Column("by_object_id", sa.Text),
    sa.Column("by_tenant_id", sa.Text),
    sa.Column("source", sa.Text, nullable=False),
    sa.Column("request_id", sa.Text),
    sa.Column("before", sa.Text),
    sa.Column("after", sa.Text),
    sa.Column("hash", sa.LargeBinary(32), nullable=False),
    #: The job through which it was done.
    sa.Column("by_job", sa.Text),
    sa.Index("ix_audit_entry_target", "target", "sequence"),
    sa.Index("ix_audit_entry_by_client_id", "by_client_id", "sequence"),
)
