"""Tables of the batches."""

import sqlalchemy as sa

from headland.database import metadata

#: Where a batch waits whose request names no queue. The index `ix_batch_waiting` has the name, too.
DEFAULT_QUEUE = "default"

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
    #: The queue that the request names, for limits; null is the default queue.
    sa.Column("queue", sa.Text),
    #: What a client is shown of all this, as JSON up to the log (`record.head`).
    sa.Column("record", sa.LargeBinary),
    #: When a cluster's manager was given the application: from then on it is asked, and no process here is.
    sa.Column("detached_at", sa.BigInteger),
    #: The manager's own id of the application.
    sa.Column("handle", sa.Text),
    #: Who submitted it (`jobs.identity`), as JSON; null where nobody showed who it was.
    sa.Column("submitter", sa.LargeBinary),
)

#: Keys by which a caller may repeat a submission without its being taken twice.
batch_submission_key = sa.Table(
    "batch_submission_key",
    metadata,
    #: Client id of the caller; empty for nobody in particular.
    sa.Column("owner", sa.Text, primary_key=True),
    sa.Column("key", sa.Text, primary_key=True),
    #: SHA-256 of what was submitted: the same key with another body is a mistake.
    sa.Column("fingerprint", sa.LargeBinary(32), nullable=False),
    sa.Column("batch_id", sa.Integer, nullable=False),
    sa.Column("created_at", sa.BigInteger, nullable=False),
)
