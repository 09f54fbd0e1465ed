"""What the trail holds, as plain records."""

from dataclasses import astuple, dataclass


@dataclass(frozen=True, slots=True)
class Actor:
    """Who makes a change: a caller of the API, or, without ids, Headland's own command or process."""

    #: The address that the request came from, or the command on the machine itself.
    source: str
    client_id: str | None = None
    object_id: str | None = None
    tenant_id: str | None = None
    request_id: str | None = None
    #: The job through which the caller acts, such as `batch/12`.
    job: str | None = None


@dataclass(frozen=True, slots=True)
class Entry:
    """A change that was made."""

    #: From 1 on, without gaps.
    sequence: int
    #: Milliseconds since 1970.
    at: int
    #: What was done, such as `application.registered`.
    action: str
    #: What it was done to, such as `application/<client id>`, or a resource id of the control plane.
    target: str
    #: The tenant that the target belongs to; None for what the whole deployment shares.
    tenant_id: str | None
    by_client_id: str | None
    by_object_id: str | None
    by_tenant_id: str | None
    source: str
    request_id: str | None
    #: JSON of what was there before, and of what is there now, without secrets.
    before: str | None
    after: str | None
    hash: bytes
    by_job: str | None = None

    @property
    def covered(self) -> tuple[int | str | None, ...]:
        """What its hash covers: the fields up to `after`, and the job where there is one. Entries from before jobs had
        an identity have none, and are what they were.
        """
        *fields, _, job = astuple(self)
        return (*fields, job) if job is not None else tuple(fields)
