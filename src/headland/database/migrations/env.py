"""Alembic's environment: migrations run on the connection that `headland.database.upgrade` opened."""

from alembic import context

from headland.database.schema import metadata
from headland.database.upgrade import connection_of

context.configure(
    connection=connection_of(context.config.attributes), target_metadata=metadata, render_as_batch=True
)
context.run_migrations()
