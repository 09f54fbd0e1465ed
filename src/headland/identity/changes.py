"""Changes of applications and secrets as the audit trail has them: what a reader needs, and no secret."""

from typing import Any

from sqlalchemy import Connection

from headland.audit import Actor, record
from headland.identity.records import Application, Secret


def record_registered(connection: Connection, actor: Actor, made: Application, now: int) -> None:
    """An application was registered."""
    _application(connection, actor, "application.registered", made, now, after=_shown(made))


def record_changed(
    connection: Connection, actor: Actor, before: Application, after: Application, now: int
) -> None:
    """An application was renamed, disabled or enabled; nothing is recorded where it is as it was."""
    old, new = _shown(before), _shown(after)
    changed = [name for name in new if old[name] != new[name]]
    if changed:
        _application(
            connection,
            actor,
            _change(before, after),
            after,
            now,
            before={name: old[name] for name in changed},
            after={name: new[name] for name in changed},
        )


def record_deleted(connection: Connection, actor: Actor, gone: Application, now: int) -> None:
    """An application was deleted, and its secrets with it."""
    _application(connection, actor, "application.deleted", gone, now, before=_shown(gone))


def record_secret(
    connection: Connection, actor: Actor, action: str, tenant_id: str, secret: Secret, *, now: int
) -> None:
    """A secret was added or revoked (`action`)."""
    # Not even its hint: the trail is kept for longer than any secret.
    shown = {"name": secret.name, "expiresAt": secret.expires_at}
    record(
        connection,
        actor,
        action,
        f"application/{secret.client_id}/secret/{secret.id}",
        now=now,
        tenant_id=tenant_id,
        before=shown if action == "secret.revoked" else None,
        after=shown if action == "secret.added" else None,
    )


def _application(
    connection: Connection, actor: Actor, action: str, application: Application, now: int, **values: Any
) -> None:
    target = f"application/{application.client_id}"
    record(connection, actor, action, target, now=now, tenant_id=application.tenant_id, **values)


def _change(before: Application, after: Application) -> str:
    if (before.disabled_at is None) == (after.disabled_at is None):
        return "application.renamed"
    return "application.enabled" if after.disabled_at is None else "application.disabled"


def _shown(application: Application) -> dict[str, Any]:
    return {
        "name": application.name,
        "administrator": application.administrator,
        "disabled": application.disabled_at is not None,
    }
