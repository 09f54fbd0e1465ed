"""The identity API, as commands use it."""

from typing import TYPE_CHECKING, Any
from urllib.parse import quote

import click
from msgspec import Struct, field

from headland.cli.documents import view
from headland.cli.errors import CliError, not_found
from headland.cli.exit_codes import ExitCode
from headland.cli.options import TENANT
from headland.cli.output import when
from headland.cli.profile import require_public

if TYPE_CHECKING:
    from headland.cli.service import Service


class Secret(Struct, rename="camel"):
    """A secret, without its value."""

    id: str
    hint: str
    created_at: str
    expires_at: str
    name: str | None = None


class Certificate(Struct, rename="camel"):
    """A certificate."""

    id: str
    thumbprint: str
    thumbprint_sha256: str
    subject: str
    expires_at: str
    name: str | None = None


class Certificates(Struct):
    """All of an application's."""

    certificates: list[Certificate]


class ShownSecret(Struct, rename="camel"):
    """A secret just made, with its value."""

    id: str
    secret: str
    client_id: str
    tenant_id: str
    expires_at: str


class Application(Struct, rename="camel"):
    """An application."""

    client_id: str
    tenant_id: str
    name: str
    object_id: str = ""
    tenant_name: str = ""
    administrator: bool = False
    disabled: bool = False
    created_at: str = ""
    created_by: str | None = None
    last_used_at: str | None = None
    secrets: list[Secret] = field(default_factory=list)


class Applications(Struct):
    """All of the tenant's."""

    applications: list[Application]


class Secrets(Struct):
    """All of an application's."""

    secrets: list[Secret]


class Directory:
    """The applications of a tenant: the caller's own, unless `headland app --tenant` names another."""

    def __init__(self, service: "Service") -> None:
        require_public(service.profile, "applications")
        self._service = service
        self._tenant = click.get_current_context().meta.get(TENANT)

    def applications(self) -> dict[str, Any]:
        """All of them."""
        return self._document("GET", "/identity/applications")

    def create(self, name: str, *, administrator: bool) -> dict[str, Any]:
        """Register one. It has no secret yet."""
        body = {"name": name, **({"administrator": True} if administrator else {})}
        return self._document("POST", "/identity/applications", body=body)

    def application(self, client_id: str) -> dict[str, Any]:
        """One of them."""
        path, missing = _application(client_id)
        return self._document("GET", path, missing=missing)

    def set_disabled(self, client_id: str, *, disabled: bool) -> dict[str, Any]:
        """Whether it is refused tokens."""
        path, missing = _application(client_id)
        return self._document("PATCH", path, body={"disabled": disabled}, missing=missing)

    def delete(self, client_id: str) -> None:
        """Remove it, its secrets and certificates."""
        path, missing = _application(client_id)
        self._delete(path, missing)

    def secrets(self, client_id: str) -> dict[str, Any]:
        """Its secrets, without their values."""
        path, missing = _application(client_id)
        return self._document("GET", f"{path}/secrets", missing=missing)

    def add_secret(self, client_id: str, name: str | None, days: int | None) -> dict[str, Any]:
        """Make a secret; the answer shows its value, once."""
        path, missing = _application(client_id)
        return self._document(
            "POST", f"{path}/secrets", body=_given(name=name, lifetimeDays=days), missing=missing
        )

    def revoke_secret(self, client_id: str, secret_id: str) -> None:
        """Remove a secret: it opens nothing any more."""
        self._delete(*_part(client_id, "secret", secret_id))

    def certificates(self, client_id: str) -> dict[str, Any]:
        """Its certificates."""
        path, missing = _application(client_id)
        return self._document("GET", f"{path}/certificates", missing=missing)

    def add_certificate(self, client_id: str, certificate: str, name: str | None) -> dict[str, Any]:
        """Register a certificate, in PEM or in base64 of DER."""
        path, missing = _application(client_id)
        body = _given(certificate=certificate, name=name)
        return self._document("POST", f"{path}/certificates", body=body, missing=missing)

    def remove_certificate(self, client_id: str, certificate_id: str) -> None:
        """Remove a certificate: it opens nothing any more."""
        self._delete(*_part(client_id, "certificate", certificate_id))

    def _document(self, method: str, path: str, **request: Any) -> dict[str, Any]:
        return self._service.document(method, path, query={"tenant": self._tenant}, **request)

    def _delete(self, path: str, missing: CliError) -> None:
        self._service.call("DELETE", path, query={"tenant": self._tenant}, missing=missing)


def shown_once(document: dict[str, Any], name: str) -> dict[str, object]:
    """What has to be noted down of a secret just made, in the words of the portal people know."""
    secret = view(document, ShownSecret)
    return {
        "Application (client) ID": secret.client_id,
        "Directory (tenant) ID": secret.tenant_id,
        "App Name": name,
        "Client secret": secret.secret,
        "Secret ID": secret.id,
        "Expires (UTC)": when(secret.expires_at),
    }


def _given(**fields: object) -> dict[str, object]:
    return {name: value for name, value in fields.items() if value is not None}


def _application(client_id: str) -> tuple[str, CliError]:
    missing = not_found(f"application '{client_id}'", "app list")
    return f"/identity/applications/{quote(client_id, safe='')}", missing


def _part(client_id: str, kind: str, part_id: str) -> tuple[str, CliError]:
    path, _ = _application(client_id)
    missing = CliError(
        f"application '{client_id}' has no {kind} '{part_id}'",
        f"`headland app {kind} list {client_id}` shows those it has",
        ExitCode.NOT_FOUND,
    )
    return f"{path}/{kind}s/{quote(part_id, safe='')}", missing
