"""People and their sessions, as plain records. Times are milliseconds since 1970."""

from dataclasses import dataclass, field

from headland.identity.records import Tenant
from headland.security import ADMINISTRATOR, TENANT_ADMINISTRATOR, Principal


@dataclass(frozen=True, slots=True)
class Person:
    """Somebody with an account of ours."""

    #: What roles are assigned to. People have no client id; where one is wanted, this stands for it.
    object_id: str
    tenant_id: str
    #: By which they sign in, spelled as it was given.
    user_name: str
    user_key: str
    #: By which others know them.
    name: str
    administrator: bool
    #: As argon2 writes it; None before the account is set up.
    password_hash: str | None = field(repr=False)
    totp_secret: bytes | None = field(repr=False)
    totp_step: int | None
    #: SHA-256 of the code by which the account can be set up, once.
    set_up_hash: bytes | None = field(repr=False)
    set_up_expires_at: int | None
    created_at: int
    #: Object id of who added them.
    created_by: str | None
    disabled_at: int | None = None
    last_used_at: int | None = None

    def principal(self, tenant: Tenant) -> Principal:
        """Who the person is to the services; `tenant` is its own."""
        role = ADMINISTRATOR if tenant.first else TENANT_ADMINISTRATOR
        roles = frozenset({role} if self.administrator else ())
        return Principal(self.tenant_id, self.object_id, self.object_id, roles)


@dataclass(frozen=True, slots=True)
class OutsidePerson:
    """Somebody for whom a provider elsewhere vouches."""

    tenant_id: str
    client_id: str
    object_id: str
    roles: tuple[str, ...]
    name: str
    #: As the provider is called in the settings.
    provider: str
    #: The provider's own name; what was kept before that was does not say.
    issuer: str = "elsewhere"

    @property
    def principal(self) -> Principal:
        """Who the person is to the services."""
        return Principal(
            self.tenant_id, self.client_id, self.object_id, frozenset(self.roles), issuer=self.issuer
        )


@dataclass(frozen=True, slots=True)
class Session:
    """A browser in which somebody is signed in, or about to be."""

    key_hash: bytes = field(repr=False)
    id: str
    #: Object id.
    person_id: str
    #: JSON of an `OutsidePerson`, or None.
    outside: str | None
    complete: bool
    #: What the browser calls itself.
    agent: str
    created_at: int
    #: Within a minute.
    used_at: int
    expires_at: int
    #: Where it was begun from.
    address: str = ""
