"""What goes over HTTP."""

from datetime import datetime
from typing import Any

from msgspec import Struct


class AuditEntry(Struct, frozen=True, rename="camel"):
    """A change that was made."""

    sequence: int
    at: datetime
    #: Kind of target and what was done to it, such as `application.registered`.
    action: str
    #: Such as `application/<client id>`, or a resource id.
    target: str
    #: The target's tenant; null for what the whole deployment shares.
    tenant_id: str | None
    #: Client id of who did it; null for Headland's own commands and processes.
    by_client_id: str | None
    by_object_id: str | None
    by_tenant_id: str | None
    #: The job through which it was done, such as `batch/12`; null where the caller itself did it.
    by_job: str | None
    #: The address it was done from, or the command on the machine itself.
    source: str
    request_id: str | None
    #: What was there before and what is there now, as far as it was changed.
    before: dict[str, Any] | None
    after: dict[str, Any] | None
    #: SHA-256 over the entry before this one's hash and this one's content, in hexadecimal digits.
    hash: str


class AuditPage(Struct, frozen=True):
    """Entries, newest first."""

    entries: list[AuditEntry]
    #: What to send as `before` to get the next page; null on the last one.
    next: int | None


class AuditVerification(Struct, frozen=True):
    """Whether the trail is what was recorded."""

    intact: bool
    #: Entries that were found good, from the first one on.
    entries: int
    #: Hash of the last one of these, to be kept elsewhere and sent as `expect` later; null where there is none.
    hash: str | None
    #: What is wrong.
    problem: str | None


class AuditProblem(Struct, frozen=True):
    """What is wrong, in words."""

    msg: str
