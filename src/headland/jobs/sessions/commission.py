"""What session is asked to be started, checked and in one form: the record that its row keeps."""

import msgspec

from headland.jobs.batches.admission import check_paths, check_place, described
from headland.jobs.batches.errors import RejectedError
from headland.jobs.batches.paths import PathRules
from headland.jobs.batches.submission import SHELL, Submission
from headland.jobs.sessions.durations import seconds_of
from headland.jobs.sessions.errors import BadKindError
from headland.jobs.sessions.kinds import FIRST, INTERPRETERS, NAMES, SHARED
from headland.jobs.sessions.wire import SessionRequest
from headland.settings import JobsSettings


class Commission(msgspec.Struct, frozen=True, omit_defaults=True):
    """A request that passed every check."""

    submission: Submission
    kind: str
    #: Seconds; None for what the settings say, 0 for never.
    heartbeat_timeout: int = 0
    #: As the caller wrote them.
    ttl: str | None = None
    idle_timeout: str | None = None

    @property
    def ttl_seconds(self) -> float | None:
        return None if self.ttl is None else seconds_of(self.ttl)

    @property
    def idle_seconds(self) -> float | None:
        return None if self.idle_timeout is None else seconds_of(self.idle_timeout)


def commission(request: SessionRequest, settings: JobsSettings, paths: PathRules) -> Commission:
    """The session that a request asks for.

    Raises:
        BatchError: it breaks a rule; the message names the field.
    """
    kind = session_kind(request.kind)
    ttl, idle = _time(request.ttl), _time(request.idle_timeout)
    submission = described(request, settings, file=SHELL)
    if (request.conf or {}).get("spark.submit.deployMode") == "cluster":
        raise RejectedError(
            "spark.submit.deployMode: the driver of a session runs on this node, in client mode."
        )
    submission = msgspec.structs.replace(submission, deploy_mode="client")
    check_place(submission)
    check_paths(submission, paths)
    return Commission(
        submission,
        kind,
        heartbeat_timeout=request.heartbeat_timeout_in_second or 0,
        ttl=ttl,
        idle_timeout=idle,
    )


def session_kind(given: str | None) -> str:
    """The kind of a session, by its own name.

    Raises:
        BadKindError: there is no such kind, or not here.
    """
    kind = NAMES.get((given or SHARED).lower())
    if kind is None:
        raise BadKindError(given or "")
    if kind not in FIRST:
        raise BadKindError(given or kind, "it is not served here")
    return kind


def statement_kind(given: str | None, session: str) -> str:
    """The kind of a statement in a session of a kind.

    Raises:
        BadKindError: there is no such kind, or not here, or it has to be said and is not.
    """
    if given is None and session == SHARED:
        raise BadKindError(SHARED, "Code type should be specified if session kind is shared")
    kind = NAMES.get((given or session).lower())
    if kind is None:
        raise BadKindError(given or "")
    if kind not in INTERPRETERS:
        raise BadKindError(given or kind, "no statement is of this kind here")
    return kind


def encode(wanted: Commission) -> bytes:
    return msgspec.json.encode(wanted)


def decode(row: bytes) -> Commission:
    return msgspec.json.decode(row, type=Commission)


def _time(given: object) -> str | None:
    """A time string, once it is known to be one."""
    if given is None:
        return None
    text = str(given)
    seconds_of(text)
    return text
