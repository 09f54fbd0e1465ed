"""What the trail holds, as plain records."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Actor:
    """Who makes a change: a caller of the API, or, without ids, Headland's own command or process."""

    #: The address that the request came from, or the command on the machine itself.
    source: str
    client_id: str | None = None
    object_id: str | None = None
    tenant_id: str | None = None
    request_id: str | None = None


@dataclass(frozen=True, slots=True)
class Entry:
    """A change that was made. Its fields up to `after` are what its hash covers, in this order."""

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
