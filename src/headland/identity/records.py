"""What the identity service knows, as plain records. Times are milliseconds since 1970."""

from dataclasses import dataclass, field

from headland.security import ADMINISTRATOR, Principal


@dataclass(frozen=True, slots=True)
class Tenant:
    """A directory of applications; its id stands in every token."""

    id: str
    name: str
    created_at: int


@dataclass(frozen=True, slots=True)
class Secret:
    """A client secret, of which nothing is kept that would give it back."""

    id: str
    client_id: str
    #: SHA-256 of the secret's text.
    hash: bytes = field(repr=False)
    #: Its first three characters, by which people tell their secrets apart.
    hint: str
    name: str | None
    created_at: int
    expires_at: int


@dataclass(frozen=True, slots=True)
class Application:
    """A registered program, with the secrets by which it shows who it is."""

    client_id: str
    tenant_id: str
    #: What roles are assigned to, and what `oid` in a token says.
    object_id: str
    name: str
    administrator: bool
    created_at: int
    #: Object id of who registered it; None for the first administrator.
    created_by: str | None
    disabled_at: int | None
    #: Oldest first.
    secrets: tuple[Secret, ...] = ()

    @property
    def roles(self) -> tuple[str, ...]:
        return (ADMINISTRATOR,) if self.administrator else ()

    def principal(self) -> Principal:
        """Who the application is to the services."""
        return Principal(self.tenant_id, self.client_id, self.object_id, frozenset(self.roles))


@dataclass(frozen=True, slots=True)
class KeyRecord:
    """A signing key: published first, then it signs, then it is retired, and at last forgotten."""

    kid: str
    #: Its public half as a JWK, in JSON.
    public_key: str
    #: In PEM; None once it is retired.
    private_key: str | None = field(repr=False)
    created_at: int
    #: From when on it signs, until a later one does.
    activates_at: int
    #: When its private half was deleted.
    retired_at: int | None
    #: Seconds: no token that it signed lives longer.
    longest_lifetime: int
