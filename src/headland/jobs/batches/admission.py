"""May this be run? The rules that turn a request into a submission. They touch nothing."""

import re
from collections.abc import Iterable, Mapping
from typing import Any, Protocol, get_args

from headland.jobs.batches.errors import RejectedError, RequirementError
from headland.jobs.batches.paths import PathRules
from headland.jobs.batches.submission import Submission
from headland.jobs.batches.tables import DEFAULT_QUEUE
from headland.jobs.batches.wire import BatchRequest, Scalar
from headland.jobs.clusters.cluster import ClusterError, check_placement, kind_of
from headland.settings import DeployMode, JobsSettings

#: What Spark takes for memory; without a unit it counts mebibytes.
_MEMORY = re.compile(r"[1-9]\d{0,8}([kmgtp]b?|b)?", re.IGNORECASE)

#: A Java or Scala class: identifiers joined by dots. `$` is an identifier's character.
_CLASS = re.compile(r"[^\W\d][\w$]*(\.[^\W\d][\w$]*)*")

#: What Hadoop takes for a user's short name.
USER = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.@\-]{0,127}")

#: A queue, which becomes a line of the log.
_QUEUE = re.compile(r"[^\x00-\x1f\x7f\x85\u2028\u2029]*")

_NO_KEY = re.compile(r"[=\s]")

#: Above these a request is a mistake, and lists of batches would carry it about.
LONGEST_NAME = 255
MOST_ITEMS = 10_000

#: Lists of paths, and what they are called in a request.
_PATH_LISTS = {"jars": "jars", "py_files": "pyFiles", "files": "files", "archives": "archives"}

#: Lists of paths that Spark also takes from its configuration: the request's own come first.
_CONF_LISTS = {
    "spark.jars": "jars",
    "spark.files": "files",
    "spark.archives": "archives",
    "spark.submit.pyFiles": "py_files",
}

#: Further configuration that names files (`livy.md` section 1.1): checked, and left to Spark.
_CONF_PATHS = (
    "spark.yarn.archive",
    "spark.yarn.dist.archives",
    "spark.yarn.dist.files",
    "spark.yarn.dist.jars",
    "spark.yarn.jar",
    "spark.yarn.jars",
)

#: Configuration that may name many files.
_CONF_LONG = frozenset({*_CONF_LISTS, *_CONF_PATHS})

#: Paths that are looked at at once.
_FEW = 100


def admit(request: BatchRequest, settings: JobsSettings, paths: PathRules) -> Submission:
    """The submission that a request asks for.

    Raises:
        RejectedError: it breaks a rule; the message names the field.
    """
    submission = described(
        request,
        settings,
        file=_text("file", request.file) or "",
        class_name=_matching("className", request.class_name, _CLASS, "a class name"),
        args=tuple(_texts("args", request.args)),
    )
    if not submission.file:
        raise RequirementError("File is required.")
    check_paths(submission, paths)
    _check_program(submission)
    check_place(submission)
    return submission


def takes_long(request: "Described") -> bool:
    """Whether to look at all that a request names holds up others for longer than a thread takes to begin."""
    named = (request.jars, request.py_files, request.files, request.archives)
    return sum(len(paths or ()) for paths in named) > _FEW or any(
        len(str(value)) > 100 * _FEW for key, value in (request.conf or {}).items() if key in _CONF_LONG
    )


class Described(Protocol):
    """What requests for batches and for sessions have in common."""

    @property
    def jars(self) -> list[Scalar] | None: ...
    @property
    def py_files(self) -> list[Scalar] | None: ...
    @property
    def files(self) -> list[Scalar] | None: ...
    @property
    def archives(self) -> list[Scalar] | None: ...
    @property
    def driver_memory(self) -> Scalar | None: ...
    @property
    def driver_cores(self) -> int | None: ...
    @property
    def executor_memory(self) -> Scalar | None: ...
    @property
    def executor_cores(self) -> int | None: ...
    @property
    def num_executors(self) -> int | None: ...
    @property
    def queue(self) -> Scalar | None: ...
    @property
    def name(self) -> Scalar | None: ...
    @property
    def proxy_user(self) -> Scalar | None: ...
    @property
    def conf(self) -> dict[str, Scalar | None] | None: ...


def described(request: Described, settings: JobsSettings, **program: Any) -> Submission:
    """What a request says of the application, whatever `program` that runs: fields of its own in the submission.

    Raises:
        RejectedError: it breaks a rule; the message names the field.
    """
    conf = _conf(request.conf or {}, settings.blocked_conf)
    master, deploy_mode = _placement(conf, settings)
    lists = {name: _texts(field, getattr(request, name)) for name, field in _PATH_LISTS.items()}
    for key, name in _CONF_LISTS.items():
        lists[name] += _split(key, conf.pop(key, ""))
    return Submission(
        **program,
        jars=tuple(lists["jars"]),
        py_files=tuple(lists["py_files"]),
        files=tuple(lists["files"]),
        archives=tuple(lists["archives"]),
        driver_memory=_memory("driverMemory", request.driver_memory),
        driver_cores=request.driver_cores,
        executor_memory=_memory("executorMemory", request.executor_memory),
        executor_cores=request.executor_cores,
        num_executors=request.num_executors,
        queue=_queue(request.queue, settings),
        name=_name(request.name),
        proxy_user=_proxy_user(request.proxy_user, settings),
        conf=conf,
        master=master,
        deploy_mode=deploy_mode,
    )


def _check_program(submission: Submission) -> None:
    """Refuse what is no program that can be run here."""
    # Spark knows R programs by their ending, whatever else is said of them.
    if submission.file.lower().endswith(".r"):
        raise RequirementError(
            f"file '{submission.file[:200]}' is an R program, and SparkR is not part of Headland. Supported are "
            "application archives (.jar) with a className, and Python programs (.py)."
        )
    if not submission.python and submission.class_name is None:
        raise RequirementError("className is required: the entry class inside the application archive.")


def check_place(submission: Submission) -> None:
    """Refuse what its cluster has no place for.

    Raises:
        RejectedError: as said.
    """
    try:
        check_placement(submission.master, submission.deploy_mode, python=submission.python)
    except ClusterError as error:
        raise RequirementError(f"spark.master {submission.master}: {error}") from None


def check_paths(submission: Submission, paths: PathRules) -> None:
    """Refuse paths that may not be named.

    Raises:
        RejectedError: as said.
    """
    for path in submission.paths:
        paths.check(path)
    for key in _CONF_PATHS:
        for path in _split(key, submission.conf.get(key, "")):
            paths.check(path)


def _conf(given: Mapping[str, Scalar | None], blocked: Iterable[str]) -> dict[str, str]:
    if len(given) > MOST_ITEMS:
        raise RequirementError(f"conf has {len(given)} keys; {MOST_ITEMS} are allowed.")
    patterns = tuple(blocked)
    exact = frozenset(patterns)
    beginnings = tuple(pattern[:-1] for pattern in patterns if pattern.endswith("*"))
    refused = [key for key in given if key in exact or key.startswith(beginnings)]
    if refused:
        raise RejectedError(f"Blacklisted configuration values in session config: {', '.join(refused)}")
    conf = {}
    for key, value in given.items():
        if _NO_KEY.search(key) or not key:
            raise RequirementError(f"conf has the key '{key[:80]}', which is not a configuration key.")
        if value is not None:
            conf[_text("conf", key) or ""] = _text(f"conf['{key}']", value) or ""
    return conf


def _placement(conf: dict[str, str], settings: JobsSettings) -> tuple[str, DeployMode]:
    """Master and deploy mode, taken out of `conf`, where they count only as far as the settings allow it."""
    wanted = conf.pop("spark.master", settings.master)
    master = wanted if wanted in settings.allowed_masters else settings.master
    mode = conf.pop("spark.submit.deployMode", None)
    if mode is None:
        modes = kind_of(master).modes
        return master, settings.deploy_mode if settings.deploy_mode in modes else modes[0]
    for known in get_args(DeployMode):
        if mode == known:
            return master, known
    raise RequirementError(f"spark.submit.deployMode is '{mode[:80]}', not client or cluster.")


def _text(field: str, value: Scalar | None) -> str | None:
    """A scalar as Livy reads it: JSON's own spelling of numbers and truth values."""
    if value is None:
        return None
    text = ("true" if value else "false") if isinstance(value, bool) else str(value)
    if "\0" in text:
        raise RequirementError(f"{field} contains a NUL character.")
    try:
        text.encode()
    except UnicodeEncodeError:
        raise RequirementError(f"{field} contains half of a surrogate pair, which is no character.") from None
    return text


def _texts(field: str, values: list[Scalar] | None) -> list[str]:
    if values is not None and len(values) > MOST_ITEMS:
        raise RequirementError(f"{field} has {len(values)} items; {MOST_ITEMS} are allowed.")
    return [_text(f"{field}[{index}]", value) or "" for index, value in enumerate(values or ())]


def _split(key: str, value: str) -> list[str]:
    # The one before the first and the one behind the last may be empty.
    parts = re.split(r"[,\s]+", value, maxsplit=MOST_ITEMS + 2)
    if len(parts) > MOST_ITEMS + 2:
        raise RequirementError(f"conf['{key}'] has more than {MOST_ITEMS} items.")
    return [part for part in parts if part]


def _matching(field: str, value: str | None, pattern: re.Pattern[str], kind: str) -> str | None:
    if value is not None and (len(value) > LONGEST_NAME or not pattern.fullmatch(value)):
        raise RequirementError(f"{field} '{value[:80]}' is not {kind}.")
    return value


def _queue(value: Scalar | None, settings: JobsSettings) -> str | None:
    queue = _matching("queue", _text("queue", value), _QUEUE, "the name of a queue") or None
    there_are = {DEFAULT_QUEUE, *settings.queues}
    if queue is not None and settings.queues and queue not in there_are:
        raise RequirementError(
            f"queue '{queue[:80]}' is not there. The queues are: {', '.join(sorted(there_are))}."
        )
    return queue


def _memory(field: str, value: Scalar | None) -> str | None:
    return _matching(field, _text(field, value), _MEMORY, "an amount of memory such as '512m' or '2g'")


def _name(value: Scalar | None) -> str | None:
    name = _text("name", value)
    # Livy counts the empty text among those that are all digits.
    if name is not None and (not name or name.isdigit() or "/" in name or not name.isprintable()):
        raise RejectedError(f"Invalid session name: {name[:80]}")
    if name is not None and len(name) > LONGEST_NAME:
        raise RejectedError(
            f"Invalid session name: it has {len(name)} characters, {LONGEST_NAME} are allowed"
        )
    return name


def _proxy_user(value: Scalar | None, settings: JobsSettings) -> str | None:
    if not settings.impersonation:
        return None
    return _matching("proxyUser", _text("proxyUser", value), USER, "a user name")
