"""What the identity service knows, as plain records. Times are milliseconds since 1970."""

from dataclasses import dataclass, field

from headland.security import ADMINISTRATOR, TENANT_ADMINISTRATOR, Principal


@dataclass(frozen=True, slots=True)
class Tenant:
    """A directory of applications; its id stands in every token."""

    id: str
    name: str
    created_at: int
    #: Object id of who made it; None for the first one.
    created_by: str | None = None

    @property
    def first(self) -> bool:
        """Whether it is the deployment's own, whose administrators administer all of it."""
        return self.created_by is None


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
    #: Object id of who made it; None for what the first start and `reset-administrator` make.
    created_by: str | None = None
    #: When it last opened something, within a minute.
    last_used_at: int | None = None


@dataclass(frozen=True, slots=True)
class Certificate:
    """A certificate whose private key its application signs assertions with."""

    id: str
    client_id: str
    #: SHA-1 of `der`: the `x5t` of an assertion (RFC 7515 section 4.1.7).
    thumbprint: bytes
    #: SHA-256 of `der`: the `x5t#S256` of an assertion (RFC 7515 section 4.1.8).
    thumbprint_sha256: bytes
    #: The certificate itself (RFC 5280).
    der: bytes = field(repr=False)
    subject: str
    name: str | None
    #: From when on it is valid.
    starts_at: int
    expires_at: int
    created_at: int
    created_by: str | None = None
    #: When it last opened something, within a minute.
    last_used_at: int | None = None


@dataclass(frozen=True, slots=True)
class Application:
    """A registered program, with the secrets by which it shows who it is. Its certificates are looked up apart:
    few requests need them.
    """

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
    #: When it last got a token, or was let in by its secret, within a minute.
    last_used_at: int | None = None
    #: Oldest first.
    secrets: tuple[Secret, ...] = ()

    def roles(self, tenant: Tenant) -> tuple[str, ...]:
        """What its tokens say that it may; `tenant` is its own."""
        if not self.administrator:
            return ()
        return (ADMINISTRATOR if tenant.first else TENANT_ADMINISTRATOR,)

    def principal(self, tenant: Tenant) -> Principal:
        """Who the application is to the services; `tenant` is its own."""
        return Principal(self.tenant_id, self.client_id, self.object_id, frozenset(self.roles(tenant)))


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
