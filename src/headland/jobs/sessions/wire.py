"""What goes over HTTP, as Livy has it: names, order and nullness of fields (`livy.md` sections 1.2 and 4.2)."""

from typing import Annotated, Any

from msgspec import Meta, Struct, field

from headland.jobs.batches.wire import AppInfo, Scalar, Whole

#: Seconds, or a position; 0 where there is none.
Natural = Annotated[int, Meta(ge=0, le=2**31 - 1)]


class SessionRequest(Struct, frozen=True, rename="camel", forbid_unknown_fields=True):
    """What session to start. `null` means that the field is not given."""

    #: `spark`, `pyspark`, `sql`, or `shared`, where each statement says its own.
    kind: str | None = None
    proxy_user: Scalar | None = None
    jars: list[Scalar] | None = None
    py_files: list[Scalar] | None = None
    files: list[Scalar] | None = None
    archives: list[Scalar] | None = None
    #: Memory such as `512m` or `2g`; a bare number counts mebibytes.
    driver_memory: Scalar | None = None
    driver_cores: Whole | None = None
    executor_memory: Scalar | None = None
    executor_cores: Whole | None = None
    num_executors: Whole | None = None
    queue: Scalar | None = None
    #: Unique among sessions that have not ended; not all digits.
    name: Scalar | None = None
    conf: dict[str, Scalar | None] | None = None
    #: Seconds without a request for this session after which it is stopped; 0 for never.
    heartbeat_timeout_in_second: Natural | None = None
    #: How long it may live: `90s`, `2h`; a bare number counts milliseconds.
    ttl: Scalar | None = None
    #: How long it may be idle, in the same form.
    idle_timeout: Scalar | None = None


class Session(Struct, frozen=True, rename="camel"):
    """A session. Sizes that the request leaves open are 0."""

    id: int
    name: str | None
    app_id: str | None
    owner: str | None
    proxy_user: str | None
    state: str
    kind: str
    app_info: AppInfo
    #: The last ten lines of the log.
    log: list[str]
    ttl: str | None
    idle_timeout: str | None
    driver_memory: str | None
    driver_cores: int
    executor_memory: str | None
    executor_cores: int
    conf: dict[str, str]
    archives: list[str]
    files: list[str]
    heartbeat_timeout_in_second: int
    jars: list[str]
    num_executors: int
    py_files: list[str]
    queue: str | None


class SessionList(Struct, frozen=True):
    """A page of sessions, oldest first."""

    from_: int = field(name="from")
    total: int
    sessions: list[Session]


class SessionState(Struct, frozen=True):
    """The state alone."""

    id: int
    state: str


class StatementRequest(Struct, frozen=True, forbid_unknown_fields=True):
    """Code to run."""

    code: Scalar
    #: As of a session; without it the session's own.
    kind: str | None = None
    #: Taken for the sake of clients that send Jupyter's messages; it means nothing.
    msg_type: str | None = None


class Statement(Struct, frozen=True):
    """A statement."""

    id: int
    code: str
    #: `waiting`, `running`, `available`, `cancelling` or `cancelled`.
    state: str
    #: Its output, once it has ended.
    output: dict[str, Any] | None
    #: The part of its Spark tasks that is done, 0 to 1.
    progress: float
    #: Milliseconds since the epoch; 0 for not yet.
    started: int
    completed: int


class StatementList(Struct, frozen=True):
    """A page of statements."""

    total_statements: int
    statements: list[Statement]


class JobRequest(Struct, frozen=True, rename="camel", forbid_unknown_fields=True):
    """A job of Livy's client library."""

    #: In base64: a function that takes a context, as cloudpickle has it.
    job: str | None = None
    #: `pyspark`. Jobs of Livy's Java library (`spark`) are not served.
    job_type: str | None = None


class JobStatus(Struct, frozen=True):
    """How far a job has come."""

    id: int
    #: `SENT`, `QUEUED`, `STARTED`, `SUCCEEDED`, `FAILED` or `CANCELLED`.
    state: str
    #: What it returned: the base64 of cloudpickle's bytes, and that in base64 again.
    result: str | None
    error: str | None


class CompletionRequest(Struct, frozen=True, forbid_unknown_fields=True):
    """Code that goes on at the position `cursor`; without one, at its end."""

    code: str
    cursor: Natural | None = None
    kind: str | None = None


class Candidates(Struct, frozen=True):
    """What can stand there."""

    candidates: list[str]


class AddRequest(Struct, frozen=True, forbid_unknown_fields=True):
    """A file or archive to give to a session."""

    uri: str


class JarForm(Struct, frozen=True):
    """A form with an archive."""

    jar: bytes


class FileForm(Struct, frozen=True):
    """A form with a file."""

    file: bytes
