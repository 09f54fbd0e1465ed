"""From a token request to who may have which token: known from before, or looked through step by step."""

from dataclasses import dataclass, field

from headland.identity import store
from headland.identity.claims import lasting_claims
from headland.identity.known_requests import Grant, digest
from headland.identity.records import Application
from headland.identity.service import TokenService
from headland.identity.targets import known_resource, resource_of_scope
from headland.identity.token_request import Sent, loggable_client_id, token_request


@dataclass(slots=True)
class Asking:
    """A request for a token, as far as it has been looked through: a refusal tells of that."""

    service: TokenService
    #: What the path has in the tenant's place.
    named: str
    #: The field that says what the token is for: `scope` or `resource`.
    target: str
    #: In which its form may come.
    media_types: tuple[str, ...]
    #: The application with the client id that it names, if there is such a one.
    application: Application | None = None
    _authorization: str | None = field(default=None, repr=False)
    _fields: dict[str, str] = field(default_factory=dict, repr=False)

    @property
    def loggable_client_id(self) -> str | None:
        """The client id that it names, if it is one."""
        return loggable_client_id(self._fields, self._authorization)

    async def grant(self, sent: Sent, now: float) -> Grant:
        """What it may have (`now` in seconds since 1970).

        Raises:
            TokenRefusedError: nothing.
            DatabaseUnavailableError: the database can't be read now.
        """
        known = self.service.known_requests
        version = known.version()
        request = digest(self.target, self.named, sent)
        at = int(now * 1000)
        grant = known.find(request, at)
        if grant is None:
            grant = await self._look_through(sent, now)
            known.add(version, request, grant)
        self.service.authentication.used(grant.client, at)
        return grant

    async def _look_through(self, sent: Sent, now: float) -> Grant:
        service = self.service
        self._authorization = sent.authorization
        tenant = service.authentication.tenant(self.named)
        self._fields = sent.form(self.media_types)
        asked = token_request(self._fields, sent.authorization, self.target)
        self.application = service.database.read_remembered(
            ("application", asked.client_id),
            lambda connection: store.find_application(connection, asked.client_id),
        )
        client = await service.authentication.client(asked, self.named, tenant, self.application, now)
        resource = (resource_of_scope if self.target == "scope" else known_resource)(
            service.resources, asked.target, client.tenant
        )
        lasting = lasting_claims(client, resource, service.settings.server.public_url)
        return Grant(client, resource, asked.target, service.lifetime(resource), lasting)
