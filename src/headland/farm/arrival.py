"""Where a request has arrived: at which instance, in which version, asking what."""

from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple
from urllib.parse import quote, urlsplit

from headland.farm.queries import Query
from headland.farm.versions import Version

#: Instances whose addresses are remembered.
_MOST_REMEMBERED = 1024


class Arrival(NamedTuple):
    """A request as far as every operation has to know it."""

    #: The instance's name, as the request has it.
    instance: str
    version: Version
    query: Query
    #: The address that the instance was reached at, without a slash at its end.
    base: str
    #: The path below it, decoded.
    path: str

    @property
    def url(self) -> str:
        """The address that was asked, without its query."""
        return self.base + quote(self.path, safe="/:~")


@dataclass(frozen=True, slots=True)
class Addresses:
    """Where instances are reached from outside."""

    #: The public base.
    public_url: str
    #: Where the service is mounted on it.
    prefix: str = "/farm"
    #: The domain below which each instance has a host name, if there is one.
    domain: str | None = None

    @lru_cache(_MOST_REMEMBERED)  # noqa: B019 - there is one of it a process
    def by_path(self, instance: str) -> str:
        """An instance's address on the public base."""
        return f"{self.public_url}{self.prefix}/{quote(instance, safe='')}"

    def by_host(self, instance: str) -> str:
        """An instance's address on a host of its own, on the public base's port."""
        port = urlsplit(self.public_url).port
        return f"https://{instance}.{self.domain}" + (f":{port}" if port not in {None, 443} else "")
