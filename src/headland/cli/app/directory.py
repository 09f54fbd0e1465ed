"""The identity API, as commands use it."""

from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from msgspec import Struct, field

from headland.cli.documents import view
from headland.cli.errors import CliError
from headland.cli.exit_codes import ExitCode
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
    secrets: list[Secret] = field(default_factory=list)


class Applications(Struct):
    """All of the tenant's."""

    applications: list[Application]


class Secrets(Struct):
    """All of an application's."""

    secrets: list[Secret]


class Directory:
    """The tenant's applications."""

    def __init__(self, service: "Service") -> None:
        require_public(service.profile, "applications")
        self._service = service

    def applications(self) -> dict[str, Any]:
        """All of them."""
        return self._service.document("GET", "/identity/applications")

    def create(self, name: str, *, administrator: bool) -> dict[str, Any]:
        """Register one. It has no secret yet."""
        body = {"name": name, **({"administrator": True} if administrator else {})}
        return self._service.document("POST", "/identity/applications", body=body)

    def application(self, client_id: str) -> dict[str, Any]:
        """One of them."""
        path, missing = _application(client_id)
        return self._service.document("GET", path, missing=missing)

    def set_disabled(self, client_id: str, *, disabled: bool) -> dict[str, Any]:
        """Whether it is refused tokens."""
        path, missing = _application(client_id)
        return self._service.document("PATCH", path, body={"disabled": disabled}, missing=missing)

    def delete(self, client_id: str) -> None:
        """Remove it and its secrets."""
        path, missing = _application(client_id)
        self._service.call("DELETE", path, missing=missing)

    def secrets(self, client_id: str) -> dict[str, Any]:
        """Its secrets, without their values."""
        path, missing = _application(client_id)
        return self._service.document("GET", f"{path}/secrets", missing=missing)

    def add_secret(self, client_id: str, name: str | None, days: int | None) -> dict[str, Any]:
        """Make a secret; the answer shows its value, once."""
        path, missing = _application(client_id)
        given = {"name": name, "lifetimeDays": days}
        body = {key: value for key, value in given.items() if value is not None}
        return self._service.document("POST", f"{path}/secrets", body=body, missing=missing)

    def revoke_secret(self, client_id: str, secret_id: str) -> None:
        """Remove a secret: it opens nothing any more."""
        path, _ = _application(client_id)
        missing = CliError(
            f"application '{client_id}' has no secret '{secret_id}'",
            f"`headland app secret list {client_id}` shows those it has",
            ExitCode.NOT_FOUND,
        )
        self._service.call("DELETE", f"{path}/secrets/{quote(secret_id, safe='')}", missing=missing)


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


def _application(client_id: str) -> tuple[str, CliError]:
    missing = CliError(
        f"there is no application '{client_id}'",
        "`headland app list` shows those there are",
        ExitCode.NOT_FOUND,
    )
    return f"/identity/applications/{quote(client_id, safe='')}", missing
