"""A change as the services describe it, whoever makes it."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection

from headland.audit.records import Actor
from headland.audit.trail import record


@dataclass(frozen=True, slots=True)
class Change:
    """What was changed; without secrets."""

    #: Kind of target and what was done to it, such as `application.registered`.
    action: str
    #: Such as `application/<client id>`, or a resource id.
    target: str
    #: The target's tenant.
    tenant_id: str
    #: What was there before and what is there now, as far as it was changed.
    before: Mapping[str, Any] | None = None
    after: Mapping[str, Any] | None = None

    def put_on_record(self, connection: Connection, actor: Actor, now: int) -> None:
        """In the transaction that makes the change (`now` in milliseconds since 1970)."""
        record(
            connection,
            actor,
            self.action,
            self.target,
            now=now,
            tenant_id=self.tenant_id,
            before=self.before,
            after=self.after,
        )


def difference(
    action: str, target: str, tenant_id: str, before: Mapping[str, Any], after: Mapping[str, Any]
) -> Change | None:
    """What is another one after it, of two descriptions with the same members; None where nothing is."""
    changed = [name for name in after if before[name] != after[name]]
    if not changed:
        return None
    return Change(
        action,
        target,
        tenant_id,
        {name: before[name] for name in changed},
        {name: after[name] for name in changed},
    )
