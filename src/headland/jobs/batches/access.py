"""Who may do what with batches, by Livy's rules (`livy.md` section 5). Users are client ids, and
object ids of those of issuers elsewhere.

With access control off, who has come in may do everything but act for others. With it on:

| user | comes in | sees logs of others | stops batches of others | acts for others |
| --- | --- | --- | --- | --- |
| nobody in particular | yes | yes | yes | yes |
| superuser, administrator | yes | yes | yes | yes |
| on the modify list | yes | yes | yes | no |
| on the view list | yes | yes | no | no |
| on the allowed list | yes | no | no | no |
| anybody else | no | | | |

An owner, and the user whom a batch is run as, have every right to their own.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache
from typing import Protocol

from headland.jobs.batches.admission import USER
from headland.jobs.batches.errors import (
    BadParameterError,
    ImpersonationError,
    NotAllowedError,
    NotAuthorisedError,
)
from headland.security import Principal
from headland.settings import JobsSettings

#: Callers whose rights are remembered; they follow from the settings alone.
_MOST_KNOWN = 1024

#: Stands for everybody in a list of users.
EVERYBODY = "*"


class Owned(Protocol):
    """A batch or session."""

    @property
    def id(self) -> int: ...
    @property
    def owner(self) -> str | None: ...
    @property
    def proxy_user(self) -> str | None: ...


class Right(StrEnum):
    """What somebody may have leave to do with a batch or session."""

    #: Look at everything but its log: anybody may.
    SEE = "see"
    #: Read its log and progress.
    VIEW = "view"
    #: Stop and forget it.
    MODIFY = "modify"


@dataclass(frozen=True, slots=True)
class Caller:
    """Who asks, and what that user may do."""

    #: Client id of the application, which owns what it submits; of an issuer elsewhere the object id. None for nobody
    #: in particular.
    client_id: str | None
    #: Whether it may act for anybody.
    superuser: bool
    #: Whom it acts for (`doAs`).
    acting_for: str | None
    #: Rights to batches of others, those of the user acted for where there is one.
    views_others: bool
    modifies_others: bool
    #: The caller, where it has shown who it is.
    principal: Principal | None = None

    @property
    def user(self) -> str | None:
        """Whose rights count."""
        return self.acting_for if self.acting_for is not None else self.client_id

    @property
    def sees_logs_of(self) -> str | None:
        """The only user whose batches' logs the caller sees; None where it sees them all."""
        return None if self.views_others else self.user

    def has(self, right: Right, row: Owned) -> bool:
        """Whether the caller has a right to a batch."""
        if right is Right.SEE:
            return True
        others = self.modifies_others if right is Right.MODIFY else self.views_others
        return others or (self.user is not None and self.user in (row.owner, row.proxy_user))

    def check(self, right: Right, row: Owned, what: str = "batch") -> None:
        """Return if the caller has it; `what` says what the row is of.

        Raises:
            NotAllowedError: it has not.
        """
        if not self.has(right, row):
            raise NotAllowedError(self.user or "", right, f"{what} {row.id}")

    def check_acts_for(self, target: str | None) -> None:
        """Return if the caller may have a batch run as `target`; as nobody in particular, anybody may.

        Raises:
            ImpersonationError: it may not.
        """
        if target is not None and not self.superuser and target != self.client_id:
            raise ImpersonationError(self.client_id or "", target)


class Access:
    """The rules of one deployment."""

    def __init__(self, settings: JobsSettings) -> None:
        #: Whether `doAs` and `proxyUser` mean anything.
        self.impersonation = settings.impersonation
        self._controlled = settings.access_control
        self._superusers = frozenset(settings.superusers)
        # Each list has those who may do more, as in Livy.
        self._modifiers = self._superusers.union(settings.modify_users)
        self._viewers = self._modifiers.union(settings.view_users)
        self._allowed = self._viewers.union(settings.allowed_users)
        # The same few ask again and again.
        self._caller = lru_cache(_MOST_KNOWN)(self._caller_of)

    def caller(self, principal: Principal | None, do_as: Sequence[str] = ()) -> Caller:
        """Who asks.

        Args:
            do_as: what the query says of `doAs`.

        Raises:
            NotAuthorisedError: the application may not use the job service.
            ImpersonationError: it may not act for the user whom it names.
            BadParameterError: it names no user, or several.
        """
        target = _target(do_as) if self.impersonation else None
        return self._caller(principal, target)

    def _caller_of(self, principal: Principal | None, target: str | None) -> Caller:
        client_id = principal.owner if principal is not None else None
        # Who may do everything else in the deployment would only have to put itself on the list.
        superuser = (principal is not None and principal.administrator) or _holds(self._superusers, client_id)
        if not superuser and self._controlled and not _holds(self._allowed, client_id):
            raise NotAuthorisedError
        user = client_id if target is None else target
        unbounded = not self._controlled or (superuser and user == client_id)
        caller = Caller(
            client_id,
            superuser,
            target,
            views_others=unbounded or _holds(self._viewers, user),
            modifies_others=unbounded or _holds(self._modifiers, user),
            principal=principal,
        )
        caller.check_acts_for(target)
        return caller


def _holds(users: Iterable[str], user: str | None) -> bool:
    return user is None or user in users or EVERYBODY in users


def _target(do_as: Sequence[str]) -> str | None:
    if not do_as:
        return None
    if len(do_as) > 1:
        # A gateway adds its own behind what the client wrote: to take either could take the wrong one.
        raise BadParameterError("doAs", "is given more than once")
    if not USER.fullmatch(do_as[0]):
        raise BadParameterError("doAs", f"'{do_as[0][:80]}' is not a user name")
    return do_as[0]
