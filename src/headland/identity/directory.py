"""Which tenants there are, as every process sees them: what one commits, all know with the next request."""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from sqlalchemy import Connection

from headland.database import Database, DatabaseUnavailableError
from headland.identity import refusals, store
from headland.identity.claims import issuer_name
from headland.identity.identifiers import is_domain, is_guid
from headland.identity.records import Tenant
from headland.identity.refusals import TokenRefusedError
from headland.identity.resources import VERSIONS


@dataclass(frozen=True, slots=True)
class _Tenants:
    """One state of the database."""

    by_name: Mapping[str, Tenant]
    #: `iss` and `tid` of their tokens.
    issuers: frozenset[tuple[str, str]]


class Directory:
    """The tenants of a deployment."""

    def __init__(self, database: Database, public_url: str) -> None:
        self._database = database
        self._public_url = public_url
        self._seen: _Tenants | None = None

    def tenant(self, named: str) -> Tenant:
        """The tenant with that id or name, in whatever case.

        Raises:
            TokenRefusedError: there is none, or it can't be the name of one.
        """
        found = self._tenants().by_name.get(named.casefold())
        if found is not None:
            return found
        known = is_guid(named) or is_domain(named)
        raise TokenRefusedError(refusals.UNKNOWN_TENANT if known else refusals.MALFORMED_TENANT, tenant=named)

    def issued(self, iss: str, tid: str) -> bool:
        """Whether these are the `iss` and `tid` of tokens of a tenant."""
        return (iss, tid) in self._tenants().issuers

    def _tenants(self) -> _Tenants:
        """
        Raises:
            DatabaseUnavailableError: the database can't be read now, nor could it before.
        """
        try:
            self._seen = self._database.read_remembered(("tenants", self._public_url), self._look)
        except DatabaseUnavailableError:
            # Discovery goes on while the database is away; tokens are neither issued nor taken then.
            if self._seen is None:
                raise
        return self._seen

    def _look(self, connection: Connection) -> _Tenants:
        tenants = store.tenants(connection)
        return _Tenants(
            _by_name(tenants),
            frozenset(
                (issuer_name(self._public_url, tenant.id, version), tenant.id)
                for tenant in tenants
                for version in VERSIONS
            ),
        )


def _by_name(tenants: list[Tenant]) -> Mapping[str, Tenant]:
    # Ids last: a tenant that is named like another one's id must not take its place.
    names = {tenant.name.casefold(): tenant for tenant in reversed(tenants)}
    return MappingProxyType({**names, **{tenant.id: tenant for tenant in tenants}})
