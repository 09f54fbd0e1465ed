"""Changes as the audit trail has them: what a reader needs, and no secret."""

from typing import Any

from headland.audit import Change, difference
from headland.identity.records import Application, Certificate, Secret, Tenant


def tenant_created(made: Tenant) -> Change:
    return Change("tenant.created", _tenant(made), made.id, after={"name": made.name})


def tenant_renamed(before: Tenant, after: Tenant) -> Change | None:
    """None where it is as it was."""
    return difference("tenant.renamed", _tenant(after), after.id, {"name": before.name}, {"name": after.name})


def tenant_deleted(gone: Tenant) -> Change:
    return Change("tenant.deleted", _tenant(gone), gone.id, {"name": gone.name})


def application_registered(made: Application) -> Change:
    return Change("application.registered", _application(made), made.tenant_id, after=_shown(made))


def application_changed(before: Application, after: Application) -> Change | None:
    """It was renamed, disabled or enabled; None where it is as it was."""
    action, target = _what_was_done(before, after), _application(after)
    return difference(action, target, after.tenant_id, _shown(before), _shown(after))


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
