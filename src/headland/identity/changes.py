"""Changes as the audit trail has them: what a reader needs, and no secret."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection

from headland.audit import Actor, record
from headland.identity.records import Application, Certificate, Secret, Tenant


@dataclass(frozen=True, slots=True)
class Change:
    """What was changed, whoever did it."""

    #: Kind of target and what was done to it.
    action: str
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


def tenant_created(made: Tenant) -> Change:
    return Change("tenant.created", _tenant(made), made.id, after={"name": made.name})


def tenant_renamed(before: Tenant, after: Tenant) -> Change | None:
    """None where it is as it was."""
    if before.name == after.name:
        return None
    return Change("tenant.renamed", _tenant(after), after.id, {"name": before.name}, {"name": after.name})


def tenant_deleted(gone: Tenant) -> Change:
    return Change("tenant.deleted", _tenant(gone), gone.id, {"name": gone.name})


def application_registered(made: Application) -> Change:
    return Change("application.registered", _application(made), made.tenant_id, after=_shown(made))


def application_changed(before: Application, after: Application) -> Change | None:
    """It was renamed, disabled or enabled; None where it is as it was."""
    old, new = _shown(before), _shown(after)
    changed = [name for name in new if old[name] != new[name]]
    if not changed:
        return None
    return Change(
        _what_was_done(before, after),
        _application(after),
        after.tenant_id,
        {name: old[name] for name in changed},
        {name: new[name] for name in changed},
    )


def application_deleted(gone: Application) -> Change:
    """Its secrets and certificates went with it."""
    return Change("application.deleted", _application(gone), gone.tenant_id, _shown(gone))


def secret_added(tenant_id: str, made: Secret) -> Change:
    return Change("secret.added", _secret(made), tenant_id, after=_shown_secret(made))


def secret_revoked(tenant_id: str, gone: Secret) -> Change:
    return Change("secret.revoked", _secret(gone), tenant_id, _shown_secret(gone))


def certificate_added(tenant_id: str, made: Certificate) -> Change:
    return Change("certificate.added", _certificate(made), tenant_id, after=_shown_certificate(made))


def certificate_removed(tenant_id: str, gone: Certificate) -> Change:
    return Change("certificate.removed", _certificate(gone), tenant_id, _shown_certificate(gone))


def _what_was_done(before: Application, after: Application) -> str:
    if (before.disabled_at is None) == (after.disabled_at is None):
        return "application.renamed"
    return "application.enabled" if after.disabled_at is None else "application.disabled"


def _tenant(tenant: Tenant) -> str:
    return f"tenant/{tenant.id}"


def _application(application: Application) -> str:
    return f"application/{application.client_id}"


def _secret(secret: Secret) -> str:
    return f"application/{secret.client_id}/secret/{secret.id}"


def _certificate(certificate: Certificate) -> str:
    return f"application/{certificate.client_id}/certificate/{certificate.id}"


def _shown(application: Application) -> dict[str, Any]:
    return {
        "name": application.name,
        "administrator": application.administrator,
        "disabled": application.disabled_at is not None,
    }


def _shown_secret(secret: Secret) -> dict[str, Any]:
    # Not even its hint: the trail is kept for longer than any secret.
    return {"name": secret.name, "expiresAt": secret.expires_at}


def _shown_certificate(certificate: Certificate) -> dict[str, Any]:
    return {
        "name": certificate.name,
        "subject": certificate.subject,
        "thumbprint": certificate.thumbprint.hex().upper(),
        "expiresAt": certificate.expires_at,
    }
