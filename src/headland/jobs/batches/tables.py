"""Tables of the batches."""

import sqlalchemy as sa

from headland.database import metadata

#: The next batch's id: Livy counts from 0 and never uses an id again.
batch_sequence = sa.Table(
    "batch_sequence",
    metadata,
    sa.Column("name", sa.String(16), primary_key=True),
    sa.Column("next_id", sa.Integer, nullable=False),
)

#: Times are milliseconds since the epoch.
batch = sa.Table(
    "batch",
    metadata,
    sa.Column("id", sa.Integer, primary_key=True, autoincrement=False),
    #: Names the run directory and marks the batch's processes.
    sa.Column("run_key", sa.String(32), nullable=False, unique=True),
    sa.Column("name", sa.Text),
    sa.Column("owner", sa.Text),
    sa.Column("proxy_user", sa.Text),
    sa.Column("state", sa.String(16), nullable=False),
    #: A `Submission` as JSON.
    sa.Column("request", sa.LargeBinary, nullable=False),
    sa.Column("app_id", sa.Text),
    #: An `AppInfo` as JSON.
    sa.Column("app_info", sa.LargeBinary),
    sa.Column("created_at", sa.BigInteger, nullable=False),
    #: The node whose controller has taken the batch on.
    sa.Column("claimed_by", sa.Text),
    sa.Column("claimed_at", sa.BigInteger),
    sa.Column("started_at", sa.BigInteger),
    sa.Column("finished_at", sa.BigInteger),
    sa.Column("exit_code", sa.Integer),
    #: A `Report` as JSON, once the batch has ended.
    sa.Column("report", sa.LargeBinary),
    #: The last lines of the finished log as a JSON list, so that lists need not open a file each.
    sa.Column("log_tail", sa.LargeBinary),
    sa.Column("kill_requested_at", sa.BigInteger),
    #: From here on nobody sees the batch; the row goes when its processes and files are gone.
    sa.Column("delete_requested_at", sa.BigInteger),
)
