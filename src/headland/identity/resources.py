"""Resources: what tokens may be asked for, each by its identifier."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Literal

from headland.settings import Settings

#: Which claims a resource's tokens carry: the resource says so, not the endpoint that was asked.
TokenVersion = Literal["1.0", "2.0"]
VERSIONS: tuple[TokenVersion, ...] = ("1.0", "2.0")


@dataclass(frozen=True, slots=True)
class Resource:
    """Something that takes tokens."""

    #: As registered: it becomes `aud`.
    identifier: str
    version: TokenVersion


def resources_of(settings: Settings) -> list[Resource]:
    """The resources of a deployment. What it serves itself reads v2.0 claims, as new applications do; what
    clients know from the hosted services has v1.0 claims there.
    """
    base = settings.server.public_url
    hosted = (*settings.identity.cluster_access_urls, *settings.identity.resources)
    own = (base, f"{base}/livy")
    return [
        *(Resource(identifier, "2.0") for identifier in own),
        *(Resource(identifier, "1.0") for identifier in hosted),
    ]


def by_identifier(resources: Iterable[Resource]) -> Mapping[str, Resource]:
    """For `find`. Where two have the same identifier, the first one counts."""
    found: dict[str, Resource] = {}
    for resource in resources:
        found.setdefault(_key(resource.identifier), resource)
    return MappingProxyType(found)


def find(resources: Mapping[str, Resource], identifier: str) -> Resource | None:
    """The resource of that identifier, with or without a trailing slash."""
    return resources.get(_key(identifier))


def _key(identifier: str) -> str:
    return identifier.removesuffix("/")
