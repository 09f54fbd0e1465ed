"""Tables of people and their sessions. Times are milliseconds since 1970, as integers."""

import sqlalchemy as sa

from headland.database.schema import metadata

person = sa.Table(
    "person",
    metadata,
    sa.Column("object_id", sa.String(36), primary_key=True),
    sa.Column("tenant_id", sa.String(36), sa.ForeignKey("tenant.id"), nullable=False),
    sa.Column("user_name", sa.String(120), nullable=False),
    #: The user name as it is compared.
    sa.Column("user_key", sa.String(240), nullable=False, unique=True),
    sa.Column("name", sa.Text, nullable=False),
    sa.Column("administrator", sa.Boolean, nullable=False),
    sa.Column("password_hash", sa.Text),
    sa.Column("totp_secret", sa.LargeBinary(20)),
    #: The last step whose code was used: a code opens once.
    sa.Column("totp_step", sa.BigInteger),
    sa.Column("set_up_hash", sa.LargeBinary(32)),
    sa.Column("set_up_expires_at", sa.BigInteger),
    sa.Column("created_at", sa.BigInteger, nullable=False),
    sa.Column("created_by", sa.String(36)),
    sa.Column("disabled_at", sa.BigInteger),
    sa.Column("last_used_at", sa.BigInteger),
)

session = sa.Table(
    "person_session",
    metadata,
    #: SHA-256 of what the browser holds.
    sa.Column("key_hash", sa.LargeBinary(32), primary_key=True),
    #: Stays when the key is exchanged.
    sa.Column("id", sa.String(36), nullable=False, unique=True),
    sa.Column("person_id", sa.String(36), nullable=False, index=True),
    #: JSON of who a provider elsewhere says that it is; NULL for a person of ours.
    sa.Column("outside", sa.Text),
    #: Whether nothing more is to be shown, such as a one-time code.
    sa.Column("complete", sa.Boolean, nullable=False),
    sa.Column("agent", sa.Text, nullable=False),
    sa.Column("created_at", sa.BigInteger, nullable=False),
    sa.Column("used_at", sa.BigInteger, nullable=False),
    #: The last moment at which it may be used, however busy it is.
    sa.Column("expires_at", sa.BigInteger, nullable=False, index=True),
    #: Where it was begun from; empty where it was before that was kept.
    sa.Column("address", sa.Text, nullable=False, server_default=""),
)
