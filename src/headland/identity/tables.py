"""Tables of the identity service. Times are milliseconds since 1970, as integers."""

import sqlalchemy as sa

from headland.database.schema import metadata

tenant = sa.Table(
    "tenant",
    metadata,
    sa.Column("id", sa.String(36), primary_key=True),
    sa.Column("name", sa.Text, nullable=False),
    sa.Column("created_at", sa.BigInteger, nullable=False),
    sa.Column("created_by", sa.String(36)),
)

application = sa.Table(
    "application",
    metadata,
    sa.Column("client_id", sa.String(36), primary_key=True),
    sa.Column("tenant_id", sa.String(36), sa.ForeignKey("tenant.id"), nullable=False),
    sa.Column("object_id", sa.String(36), nullable=False, unique=True),
    sa.Column("name", sa.Text, nullable=False),
    sa.Column("administrator", sa.Boolean, nullable=False),
    sa.Column("created_at", sa.BigInteger, nullable=False),
    sa.Column("created_by", sa.String(36)),
    sa.Column("disabled_at", sa.BigInteger),
    sa.Column("last_used_at", sa.BigInteger),
)

secret = sa.Table(
    "secret",
    metadata,
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
    sa.Column("created_by", sa.String(36)),
    sa.Column("last_used_at", sa.BigInteger),
)

certificate = sa.Table(
    "certificate",
    metadata,
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

#: Assertions that were used, for as long as they could be used again.
used_assertion = sa.Table(
    "used_assertion",
    metadata,
    sa.Column("client_id", sa.String(36), primary_key=True),
    #: SHA-256 of `jti`.
    sa.Column("jti_hash", sa.LargeBinary(32), primary_key=True),
    sa.Column("expires_at", sa.BigInteger, nullable=False, index=True),
)

signing_key = sa.Table(
    "signing_key",
    metadata,
    sa.Column("kid", sa.String(43), primary_key=True),
    sa.Column("public_key", sa.Text, nullable=False),
    sa.Column("private_key", sa.Text),
    sa.Column("created_at", sa.BigInteger, nullable=False),
    sa.Column("activates_at", sa.BigInteger, nullable=False),
    sa.Column("retired_at", sa.BigInteger),
    sa.Column("longest_lifetime", sa.Integer, nullable=False),
)
