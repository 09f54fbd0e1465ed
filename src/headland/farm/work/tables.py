"""The table of an instance's jobs."""

import sqlalchemy as sa

from headland.farm.documents.tables import metadata

#: Rows stay: the ids of jobs are unique for as long as the instance lives.
jobs_table = sa.Table(
    "jobs",
    metadata,
    sa.Column("id", sa.Text, primary_key=True),
    #: Which work it is (`headland.farm.work.kinds`).
    sa.Column("kind", sa.Text, nullable=False),
    #: What it is to be done with, as JSON.
    sa.Column("input", sa.LargeBinary, nullable=False),
    sa.Column("state", sa.Text, nullable=False),
    sa.Column("message", sa.Text, nullable=False),
    sa.Column("error_code", sa.Text),
    #: Object id of the caller.
    sa.Column("created_by", sa.Text, nullable=False),
    # Times are milliseconds since the epoch.
    sa.Column("created", sa.BigInteger, nullable=False),
    sa.Column("acted", sa.BigInteger),
    sa.Column("started", sa.BigInteger),
    sa.Column("ended", sa.BigInteger),
    #: Processes that have begun with it.
    sa.Column("attempts", sa.Integer, nullable=False),
    # Leads to those that have not ended, the oldest first.
    sa.Index("ix_jobs_ended", "ended", "created"),
)
