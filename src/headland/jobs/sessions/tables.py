"""Tables of the sessions. Their ids are counted where those of batches are."""

import sqlalchemy as sa

from headland.database import metadata

#: Times are milliseconds since the epoch.
session = sa.Table(
    "session",
    metadata,
    sa.Column("id", sa.Integer, primary_key=True, autoincrement=False),
    #: Names the run directory and marks the session's processes.
    sa.Column("run_key", sa.String(32), nullable=False, unique=True),
    sa.Column("name", sa.Text),
    sa.Column("owner", sa.Text),
    sa.Column("proxy_user", sa.Text),
    #: The kind of its statements where they don't say; `shared` where they have to.
    sa.Column("kind", sa.String(16), nullable=False),
    sa.Column("state", sa.String(16), nullable=False),
    #: A `Commission` as JSON.
    sa.Column("request", sa.LargeBinary, nullable=False),
    sa.Column("app_id", sa.Text),
    #: An `AppInfo` as JSON.
    sa.Column("app_info", sa.LargeBinary),
    sa.Column("created_at", sa.BigInteger, nullable=False),
    #: The node whose controller has taken the session on.
    sa.Column("claimed_by", sa.Text),
    sa.Column("claimed_at", sa.BigInteger),
    #: When its first interpreter was there.
    sa.Column("started_at", sa.BigInteger),
    sa.Column("finished_at", sa.BigInteger),
    #: A `Report` as JSON, once it has ended.
    sa.Column("report", sa.LargeBinary),
    #: The last lines of the finished log as a JSON list.
    sa.Column("log_tail", sa.LargeBinary),
    sa.Column("stop_requested_at", sa.BigInteger),
    #: Who or what had it stopped, in words.
    sa.Column("stop_reason", sa.Text),
    #: From here on nobody sees the session; the row goes when its processes and files are gone.
    sa.Column("delete_requested_at", sa.BigInteger),
    #: Who submitted it (`jobs.identity`), as JSON; null where nobody showed who it was.
    sa.Column("submitter", sa.LargeBinary),
)
