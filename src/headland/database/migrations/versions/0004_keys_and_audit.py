"""Signing keys that are replaced and forgotten, and the trail of administrative changes."""

import json

import sqlalchemy as sa
from alembic import op
from joserfc.jwk import RSAKey

revision = "0004"
down_revision = "0003"

#: The longest that a token could live before keys remembered it, in seconds.
LONGEST_LIFETIME = 86_400


def upgrade() -> None:
    _rebuild_signing_keys(op.get_bind())
    op.create_table(
        "audit_entry",
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
    )
    op.create_index("ix_audit_entry_target", "audit_entry", ["target", "sequence"])
    op.create_index("ix_audit_entry_by_client_id", "audit_entry", ["by_client_id", "sequence"])
    {"sqlite": _guard_trail_of_sqlite, "postgresql": _guard_trail_of_postgresql}[op.get_bind().dialect.name]()


def _guard_trail_of_sqlite() -> None:
    refused = "BEGIN SELECT RAISE(ABORT, 'the audit trail is only ever added to'); END"
    op.execute(f"CREATE TRIGGER audit_entry_stays BEFORE UPDATE ON audit_entry {refused}")
    op.execute(f"CREATE TRIGGER audit_entry_remains BEFORE DELETE ON audit_entry {refused}")
    # `INSERT OR REPLACE` removes rows without asking the trigger above.
    newest = "(SELECT max(sequence) FROM audit_entry)"
    condition = f"NEW.sequence <> coalesce({newest}, 0) + 1"
    op.execute(f"CREATE TRIGGER audit_entry_follows BEFORE INSERT ON audit_entry WHEN {condition} {refused}")


def _guard_trail_of_postgresql() -> None:
    op.execute("""
        CREATE FUNCTION refuse_to_change_the_trail() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN
            RAISE EXCEPTION 'the audit trail is only ever added to' USING ERRCODE = 'integrity_constraint_violation';
        END $$
    """)
    op.execute(
        "CREATE TRIGGER audit_entry_stays BEFORE UPDATE OR DELETE OR TRUNCATE ON audit_entry"
        " FOR EACH STATEMENT EXECUTE FUNCTION refuse_to_change_the_trail()"
    )


def _rebuild_signing_keys(connection: sa.Connection) -> None:
    """The table anew: SQLite can't make a column nullable."""
    old = sa.table("signing_key", *map(sa.column, ("kid", "private_key", "created_at")))
    keys = [dict(row) for row in connection.execute(sa.select(old)).mappings()]
    if connection.dialect.name == "sqlite":
        # What is dropped here must not be found in the file once the key itself has been forgotten.
        connection.exec_driver_sql("PRAGMA secure_delete = ON")
    op.drop_table("signing_key")
    new = op.create_table(
        "signing_key",
        sa.Column("kid", sa.String(43), primary_key=True),
        sa.Column("public_key", sa.Text, nullable=False),
        sa.Column("private_key", sa.Text),
        sa.Column("created_at", sa.BigInteger, nullable=False),
        sa.Column("activates_at", sa.BigInteger, nullable=False),
        sa.Column("retired_at", sa.BigInteger),
        sa.Column("longest_lifetime", sa.Integer, nullable=False),
    )
    for key in keys:
        public = RSAKey.import_key(key["private_key"]).as_dict(private=False)
        connection.execute(
            new.insert().values(
                **key,
                public_key=json.dumps(
                    {"kty": "RSA", "n": public["n"], "e": public["e"]}, separators=(",", ":")
                ),
                activates_at=key["created_at"],
                longest_lifetime=LONGEST_LIFETIME,
            )
        )
