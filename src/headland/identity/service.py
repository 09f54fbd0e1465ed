"""What the token and discovery routes work with, and how a refusal is answered."""

import time
import uuid
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from types import MappingProxyType
from typing import cast

from starlette.requests import Request
from starlette.responses import Response

from headland.database import Database
from headland.http.answers import json_answer
from headland.identity.authentication import Authentication
from headland.identity.failed_attempts import FailedAttempts
from headland.identity.identifiers import is_guid
from headland.identity.issuer import Issuer
from headland.identity.known_requests import KnownRequests
from headland.identity.refusals import TokenRefusedError, refusal
from headland.identity.resources import Resource, by_identifier, resources_of
from headland.settings import IdentitySettings, Settings

#: Neither tokens nor the reasons why there is none may be kept on the way (RFC 6749 section 5.1).
UNCACHED = MappingProxyType({"cache-control": "no-store", "pragma": "no-cache"})

REALM = 'Basic realm="headland", charset="UTF-8"'


@dataclass(frozen=True)
class TokenService:
    """The state behind the routes."""

    database: Database
    settings: Settings
    issuer: Issuer
    #: Seconds since 1970.
    clock: Callable[[], float] = time.time

    @cached_property
    def resources(self) -> Mapping[str, Resource]:
        return by_identifier(resources_of(self.settings))

    @cached_property
    def authentication(self) -> Authentication:
        return Authentication(self.database, self.issuer, self.settings.identity.single_use_assertions)

    @cached_property
    def known_requests(self) -> KnownRequests:
        return KnownRequests(self.database)

    @cached_property
    def failed_attempts(self) -> FailedAttempts:
        return FailedAttempts(self.settings.identity.failed_attempts_a_minute)

    @cached_property
    def lifetime(self) -> Callable[[Resource], int]:
        """As `lifetimes`."""
        return lifetimes(self.settings.identity)


def lifetimes(settings: IdentitySettings) -> Callable[[Resource], int]:
    """Tells the seconds for which tokens for a resource are valid."""
    own = {identifier.rstrip("/"): seconds for identifier, seconds in settings.token_lifetimes.items()}
    return lambda resource: own.get(resource.identifier.rstrip("/"), settings.token_lifetime)


def refused(request: Request, error: TokenRefusedError, correlation: str | None = None) -> Response:
    """The refusal as an answer; a 401 says how to do better (RFC 9110 section 11.6.1)."""
    service = service_of(request)
    body = refusal(
        error, service.settings.server.public_url, correlation or correlation_id(request), service.clock()
    )
    headers = dict(UNCACHED)
    if error.case.status == 401:
        headers["www-authenticate"] = REALM
    if error.case.status == 503:
        headers["retry-after"] = "1"
    if error.retry_after is not None:
        headers["retry-after"] = str(error.retry_after)
    return json_answer(body, error.case.status, headers)


def service_of(request: Request) -> TokenService:
    return cast("TokenService", request.app.state.service)


def correlation_id(request: Request) -> str:
    """The id by which the client knows its request: MSAL sends it as a header, in JavaScript in the query."""
    sent = request.headers.get("client-request-id") or request.query_params.get("client-request-id", "")
    return sent if is_guid(sent) else str(uuid.uuid4())
