"""Tables of the control plane: subscriptions, groups, instances, their stores, and roles."""

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"


def upgrade() -> None:
    op.create_table(
        "subscription",
        sa.Column("id", sa.String(36), primary_key=True),
        sa.Column("tenant_id", sa.String(36), nullable=False),
        sa.Column("display_name", sa.Text, nullable=False),
        sa.Column("created_at", sa.BigInteger, nullable=False),
    )
    op.create_table(
        "access_request",
        sa.Column("id", sa.String(36), primary_key=True),
        sa.Column("subscription_id", sa.String(36), nullable=False),
        sa.Column("tenant_id", sa.String(36), nullable=False),
        sa.Column("display_name", sa.Text, nullable=False),
        sa.Column("reason", sa.Text, nullable=False),
        sa.Column("terms_version", sa.Text, nullable=False),
        sa.Column("requested_by", sa.String(36), nullable=False),
        sa.Column("requested_at", sa.BigInteger, nullable=False),
        sa.Column("state", sa.String(16), nullable=False),
        sa.Column("decided_by", sa.String(36)),
        sa.Column("decided_at", sa.BigInteger),
        sa.Column("comment", sa.Text),
    )
    op.create_table(
        "terms_acceptance",
        sa.Column("subscription_id", sa.String(36), sa.ForeignKey("subscription.id"), primary_key=True),
        sa.Column("version", sa.Text, primary_key=True),
        sa.Column("accepted_by", sa.String(36), nullable=False),
        sa.Column("accepted_at", sa.BigInteger, nullable=False),
    )
    op.create_table(
        "provider_registration",
        sa.Column("subscription_id", sa.String(36), sa.ForeignKey("subscription.id"), primary_key=True),
        sa.Column("namespace", sa.Text, primary_key=True),
        sa.Column("registered_at", sa.BigInteger, nullable=False),
    )
    op.create_table(
        "resource_group",
        sa.Column("subscription_id", sa.String(36), sa.ForeignKey("subscription.id"), primary_key=True),
        sa.Column("key", sa.Text, primary_key=True),
        sa.Column("name", sa.Text, nullable=False),
        sa.Column("location", sa.Text, nullable=False),
        sa.Column("tags", sa.Text, nullable=False),
        sa.Column("managed_by", sa.Text),
        sa.Column("created_at", sa.BigInteger, nullable=False),
        sa.Column("changed_at", sa.BigInteger, nullable=False),
        sa.Column("deleting_since", sa.BigInteger),
    )
    op.create_table(
        "instance",
        sa.Column("key", sa.String(63), primary_key=True),
        sa.Column("name", sa.String(63), nullable=False),
        sa.Column("subscription_id", sa.String(36), nullable=False),
        sa.Column("group_key", sa.Text, nullable=False),
        sa.Column("location", sa.Text, nullable=False),
        sa.Column("tags", sa.Text, nullable=False),
        sa.Column("options", sa.Text, nullable=False),
        sa.Column("store_key", sa.String(36), nullable=False, unique=True),
        sa.Column("created_by", sa.String(36), nullable=False),
        sa.Column("created_at", sa.BigInteger, nullable=False),
        sa.Column("changed_by", sa.String(36), nullable=False),
        sa.Column("changed_at", sa.BigInteger, nullable=False),
        sa.ForeignKeyConstraint(
            ["subscription_id", "group_key"], ["resource_group.subscription_id", "resource_group.key"]
        ),
    )
    op.create_index("ix_instance_group", "instance", ["subscription_id", "group_key", "key"])
    op.create_table(
        "instance_store",
        sa.Column("key", sa.String(36), primary_key=True),
        sa.Column("subscription_id", sa.String(36), nullable=False),
        sa.Column("group_key", sa.Text, nullable=False),
        sa.Column("wanted", sa.String(8), nullable=False),
        sa.Column("ready", sa.Boolean, nullable=False),
        sa.Column("failure", sa.Text),
        sa.Column("attempts", sa.Integer, nullable=False),
        sa.Column("due_at", sa.BigInteger),
    )
    op.create_index("ix_instance_store_due", "instance_store", ["due_at", "key"])
    op.create_index("ix_instance_store_group", "instance_store", ["subscription_id", "group_key"])
    op.create_table(
        "role_assignment",
        sa.Column("name", sa.String(36), primary_key=True),
        sa.Column("tenant_id", sa.String(36), nullable=False),
        sa.Column("scope", sa.Text, nullable=False),
        sa.Column("scope_key", sa.Text, nullable=False),
        sa.Column("role", sa.String(36), nullable=False),
        sa.Column("principal_id", sa.String(36), nullable=False),
        sa.Column("principal_type", sa.String(32), nullable=False),
        sa.Column("description", sa.Text),
        sa.Column("created_by", sa.String(36)),
        sa.Column("created_at", sa.BigInteger, nullable=False),
        sa.Column("changed_by", sa.String(36)),
        sa.Column("changed_at", sa.BigInteger, nullable=False),
        sa.UniqueConstraint("principal_id", "role", "scope_key"),
    )
    op.create_index("ix_role_assignment_scope", "role_assignment", ["scope_key"])
    op.create_table(
        "group_deletion",
        sa.Column("id", sa.String(36), primary_key=True),
        sa.Column("subscription_id", sa.String(36), nullable=False),
        sa.Column("group_key", sa.Text, nullable=False),
        sa.Column("group_name", sa.Text, nullable=False),
        sa.Column("asked_by", sa.String(36), nullable=False),
        sa.Column("asked_at", sa.BigInteger, nullable=False),
        sa.Column("ended_at", sa.BigInteger),
        sa.Column("failure", sa.Text),
    )
    op.create_index("ix_group_deletion_group", "group_deletion", ["subscription_id", "group_key"])
