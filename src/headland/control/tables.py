"""Tables of the control plane. Times are milliseconds since 1970; names are kept as they were given, and
compared by a `…_key` in one case.
"""

import sqlalchemy as sa

from headland.database.schema import metadata

subscription = sa.Table(
    "subscription",
    metadata,
    sa.Column("id", sa.String(36), primary_key=True),
    sa.Column("tenant_id", sa.String(36), nullable=False),
    sa.Column("display_name", sa.Text, nullable=False),
    sa.Column("created_at", sa.BigInteger, nullable=False),
)

access_request = sa.Table(
    "access_request",
    metadata,
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

terms_acceptance = sa.Table(
    "terms_acceptance",
    metadata,
    sa.Column("subscription_id", sa.String(36), sa.ForeignKey("subscription.id"), primary_key=True),
    sa.Column("version", sa.Text, primary_key=True),
    # Empty where the operator accepted them by starting Headland.
    sa.Column("accepted_by", sa.String(36), nullable=False),
    sa.Column("accepted_at", sa.BigInteger, nullable=False),
)

provider_registration = sa.Table(
    "provider_registration",
    metadata,
    sa.Column("subscription_id", sa.String(36), sa.ForeignKey("subscription.id"), primary_key=True),
    sa.Column("namespace", sa.Text, primary_key=True),
    sa.Column("registered_at", sa.BigInteger, nullable=False),
)

resource_group = sa.Table(
    "resource_group",
    metadata,
    sa.Column("subscription_id", sa.String(36), sa.ForeignKey("subscription.id"), primary_key=True),
    sa.Column("key", sa.Text, primary_key=True),
    sa.Column("name", sa.Text, nullable=False),
    sa.Column("location", sa.Text, nullable=False),
    sa.Column("tags", sa.Text, nullable=False),
    sa.Column("managed_by", sa.Text),
    sa.Column("created_at", sa.BigInteger, nullable=False),
    sa.Column("changed_at", sa.BigInteger, nullable=False),
    # Set once its deletion was accepted: from then on it takes nothing new.
    sa.Column("deleting_since", sa.BigInteger),
)

instance = sa.Table(
    "instance",
    metadata,
    sa.Column("key", sa.String(63), primary_key=True),
    sa.Column("name", sa.String(63), nullable=False),
    sa.Column("subscription_id", sa.String(36), nullable=False),
    sa.Column("group_key", sa.Text, nullable=False),
    sa.Column("location", sa.Text, nullable=False),
    sa.Column("tags", sa.Text, nullable=False),
    # What the request says beyond that, kept to be echoed (JSON).
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
sa.Index("ix_instance_group", instance.c.subscription_id, instance.c.group_key, instance.c.key)

instance_store = sa.Table(
    "instance_store",
    metadata,
    sa.Column("key", sa.String(36), primary_key=True),
    # Of the instance that it is or was for; the instance may be gone already.
    sa.Column("subscription_id", sa.String(36), nullable=False),
    sa.Column("group_key", sa.Text, nullable=False),
    sa.Column("wanted", sa.String(8), nullable=False),
    sa.Column("ready", sa.Boolean, nullable=False),
    sa.Column("failure", sa.Text),
    sa.Column("attempts", sa.Integer, nullable=False),
    # Nobody works on it before then; null where nothing is to be done.
    sa.Column("due_at", sa.BigInteger),
)
sa.Index("ix_instance_store_due", instance_store.c.due_at, instance_store.c.key)
sa.Index("ix_instance_store_group", instance_store.c.subscription_id, instance_store.c.group_key)

role_assignment = sa.Table(
    "role_assignment",
    metadata,
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
sa.Index("ix_role_assignment_scope", role_assignment.c.scope_key)

group_deletion = sa.Table(
    "group_deletion",
    metadata,
    sa.Column("id", sa.String(36), primary_key=True),
    sa.Column("subscription_id", sa.String(36), nullable=False),
    sa.Column("group_key", sa.Text, nullable=False),
    sa.Column("group_name", sa.Text, nullable=False),
    sa.Column("asked_by", sa.String(36), nullable=False),
    sa.Column("asked_at", sa.BigInteger, nullable=False),
    sa.Column("ended_at", sa.BigInteger),
    sa.Column("failure", sa.Text),
)
sa.Index("ix_group_deletion_group", group_deletion.c.subscription_id, group_deletion.c.group_key)
