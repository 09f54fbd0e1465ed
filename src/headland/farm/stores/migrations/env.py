"""Alembic's environment: migrations run on the connection that `headland.database.upgrade.migrate` was given."""

from alembic import context

from headland.database.upgrade import connection_of

context.configure(connection=connection_of(context.config.attributes), render_as_batch=True)
context.run_migrations()
