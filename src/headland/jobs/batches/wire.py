"""What goes over HTTP, as Livy has it: names, order and nullness of fields (`livy.md` section 1.1)."""

from typing import Annotated

from msgspec import Meta, Struct, field

#: Livy's JSON reader makes text of numbers and truth values; clients have come to rely on it.
Scalar = str | int | float | bool
Whole = Annotated[int, Meta(ge=1, le=2**31 - 1)]


class AppInfo(Struct, frozen=True, rename="camel"):
    """Where to look at a running application; null until known."""

    driver_log_url: str | None = None
    spark_ui_url: str | None = None
    executor_log_urls: str | None = None


class Batch(Struct, frozen=True, rename="camel"):
    """A batch."""

    id: int
    name: str | None
    owner: str | None
    proxy_user: str | None
    state: str
    app_id: str | None
    app_info: AppInfo
    #: The last ten lines of the log; empty when the batch has just been created.
    log: list[str]


class BatchList(Struct, frozen=True):
    """A page of batches, oldest first."""

    from_: int = field(name="from")
    total: int
    sessions: list[Batch]


class BatchState(Struct, frozen=True):
    """The state alone."""

    id: int
    state: str


class BatchTimes(Struct, frozen=True, rename="camel"):
    """When what happened, in milliseconds since 1970; null where it has not yet: an addition to Livy's protocol."""

    id: int
    submitted_at: int
    started_at: int | None
    ended_at: int | None


class BatchLog(Struct, frozen=True):
    """A page of log lines."""

    id: int
    from_: int = field(name="from")
    total: int
    log: list[str]


class Message(Struct, frozen=True):
    """An error, or the outcome of an action."""

    msg: str


class Stage(Struct, frozen=True):
    """A Spark stage: how many of its tasks are where."""

    id: int
    attempt: int
    name: str
    #: `waiting`, `running`, `complete` or `failed`.
    state: str
    tasks: int
    completed: int
    failed: int
    active: int


class Progress(Struct, frozen=True):
    """How far a batch has come: an addition to Livy's protocol."""

    id: int
    state: str
    #: Sums over all stages that Spark has named so far.
    tasks: int
    completed: int
    failed: int
    active: int
    stages: list[Stage]


class BatchRequest(Struct, frozen=True, rename="camel", forbid_unknown_fields=True):
    """What to run. `null` means that the field is not given."""

    #: The application archive (`.jar`) or program (`.py`): a URL on cluster storage.
    file: Scalar | None = None
    #: Fully qualified entry class; required with an archive.
    class_name: str | None = None
    args: list[Scalar] | None = None
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
    #: Unique among batches that have not ended; not all digits.
    name: Scalar | None = None
    proxy_user: Scalar | None = None
    conf: dict[str, Scalar | None] | None = None


class Version(Struct, frozen=True):
    """What Livy tells of its build. Of this one, the version alone means something."""

    version: str
    url: str = "<unknown>"
    branch: str = "<unknown>"
    revision: str = "<unknown>"
    date: str = "<unknown>"
    user: str = "<unknown>"
