"""What a token is asked for: the `scope` of a v2.0 request or the `resource` of a v1 one."""

import re
from collections.abc import Mapping

from headland.identity import refusals
from headland.identity.records import Tenant
from headland.identity.refusals import TokenRefusedError
from headland.identity.resources import Resource, find

DEFAULT = "/.default"

#: Scopes of OpenID Connect, which name no resource. MSAL for Go sends them with every request.
OPENID = frozenset({"openid", "profile", "email", "offline_access"})

#: Characters of a scope (RFC 6749 section 3.3).
_SCOPE = re.compile(r"[\x21\x23-\x5b\x5d-\x7e]+")


def resource_of_scope(resources: Mapping[str, Resource], scope: str, tenant: Tenant) -> Resource:
    """The resource of a scope such as `https://farmbeats.azure.net/.default`; scopes of OpenID Connect beside it
    change nothing. A resource registered with a trailing slash has two before `.default`; either is taken.

    Raises:
        TokenRefusedError: the scope is malformed, or names no resource or several.
    """
    parts = scope.split(" ")
    if not all(_SCOPE.fullmatch(part) for part in parts):
        raise TokenRefusedError(refusals.MALFORMED_SCOPE, scope=scope)
    named = [part for part in parts if part not in OPENID]
    if len(named) > 1:
        raise TokenRefusedError(refusals.SEVERAL_SCOPES, scope=scope)
    if not named or not named[0].endswith(DEFAULT):
        raise TokenRefusedError(refusals.SCOPE_WITHOUT_DEFAULT, scope=scope)
    identifier = named[0].removesuffix(DEFAULT)
    if not identifier.strip("/"):
        raise TokenRefusedError(refusals.MALFORMED_SCOPE, scope=scope)
    return known_resource(resources, identifier, tenant)


def known_resource(resources: Mapping[str, Resource], identifier: str, tenant: Tenant) -> Resource:
    """The resource with that identifier.

    Raises:
        TokenRefusedError: there is none.
    """
    resource = find(resources, identifier)
    if resource is None:
        raise TokenRefusedError(refusals.UNKNOWN_RESOURCE, resource=identifier, tenant=tenant.name)
    return resource
