"""The one place where it is decided whether an operation may be done, from its declaration.

The order is Azure Resource Manager's: who calls, is the subscription's id one, is `api-version` one, is there
such a subscription, may the caller do this. What is not declared is denied.
"""

import re
from collections.abc import Sequence
from dataclasses import replace

from starlette.requests import Request
from starlette.responses import Response

from headland.control import provider, scopes, subscriptions
from headland.control.errors import (
    AuthorizationFailedError,
    InvalidApiVersionError,
    InvalidContentError,
    InvalidResourceTypeError,
    MissingApiVersionError,
    NoRegisteredProviderError,
)
from headland.control.service import ControlService, body_of, service_of
from headland.control.wire import NewInstance
from headland.http.operations import Handler, Operation
from headland.security import AuthenticationError, Principal

#: Below it is Headland's own, which has no versions.
OWN = "/control/"

_VERSION = re.compile(r"\d{4}-\d\d-\d\d(-preview)?")
_PROVIDED = re.compile(rf".*/providers/{re.escape(provider.NAMESPACE)}/(.*)")


def guarded(operations: Sequence[Operation]) -> list[Operation]:
    """The operations with their handlers behind the guard."""
    return [replace(operation, handler=_guard(operation)) for operation in operations]


def _guard(operation: Operation) -> Handler:
    kind = kind_of(operation.path)
    versions = versions_of(kind)

    async def answer(request: Request) -> Response:
        service = service_of(request)
        if not operation.guarded:
            return await operation.handler(request)
        principal = await service.guard.authenticate(request)
        if principal is None:
            raise AuthenticationError("A bearer token is needed.", "Bearer", "missing")
        request.state.caller = principal
        scope = scopes.scope_of(request.path_params)
        subscription = _subscription(scope)
        if not str(request.url.path).lower().startswith(OWN):
            await _check_version(request, kind, versions)
        if subscription is not None:
            service.database.read_remembered(
                ("enabled", subscription), lambda connection: subscriptions.get(connection, subscription)
            )
        if operation.action is not None:
            authorize(service, principal, operation.action, scope, within=operation.filtered)
        return await operation.handler(request)

    return answer


def _subscription(scope: str) -> str | None:
    """The id of the subscription in a scope, if it has one.

    Raises:
        InvalidSubscriptionIdError: it is no GUID.
    """
    found = scopes.subscription_in(scopes.key_of(scope))
    return None if found is None else scopes.subscription_id(found)


def authorize(
    service: ControlService, principal: Principal, action: str, scope: str, *, within: bool = False
) -> None:
    """Return if the caller may; or, `within`, if it may somewhere in the scope.

    Raises:
        AuthorizationFailedError: no role of it allows this.
    """
    authorizer = service.authorizer
    allowed = authorizer.allows_within if within else authorizer.allows
    if not allowed(principal, action, scope):
        raise AuthorizationFailedError(principal.client_id, principal.object_id, action, scope)


def kind_of(path: str) -> str | None:
    """The type of the agriculture provider that a declared path is about: `farmBeats/extensions`."""
    match = _PROVIDED.fullmatch(path)
    if match is None:
        return None
    return "/".join(part for part in match[1].split("/") if not part.startswith("{"))


def versions_of(kind: str | None) -> tuple[str, ...]:
    """The `api-version`s of a type of the agriculture provider, oldest first; none in particular for any other."""
    if kind is None:
        return ()
    known = {item.name: item.versions for item in provider.types_of(provider.NAMESPACE)}
    return known.get(kind, provider.VERSIONS)


async def _check_version(request: Request, kind: str | None, versions: tuple[str, ...]) -> None:
    given = request.query_params.getlist("api-version")
    if not given or not given[0]:
        raise MissingApiVersionError
    if len(set(given)) > 1 or not _VERSION.fullmatch(given[0]):
        raise InvalidApiVersionError(",".join(given))
    if kind is None or given[0] in versions:
        return
    if kind == "farmBeats" and request.method == "PUT":
        raise NoRegisteredProviderError(await _location(request), given[0], kind, versions)
    raise InvalidResourceTypeError(kind, provider.NAMESPACE, given[0], versions)


async def _location(request: Request) -> str:
    """Where the instance was to be, as far as that can be told."""
    try:
        return (await body_of(request, NewInstance)).location or ""
    except InvalidContentError:
        return ""
