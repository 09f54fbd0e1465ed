"""Requests that were granted a token, known again by their digest.

Programs send the same request whenever a token runs out. To read the form, find application and tenant and compare
the secret takes as long as a quarter of a signature, and comes to the same while nothing is committed and the
secret has not expired. Secrets are not kept for it: what is known is SHA-256 of what was sent.
"""

import hashlib
from collections import OrderedDict
from collections.abc import Hashable, Mapping
from dataclasses import dataclass, field
from typing import Any

from headland.database import Database
from headland.identity.clients import Client
from headland.identity.resources import Resource
from headland.identity.token_request import Sent

#: Requests that a process knows; the one that it has known for the longest goes first.
MOST_KNOWN = 1024


@dataclass(frozen=True, slots=True)
class Grant:
    """Who may have which token."""

    client: Client
    resource: Resource
    #: Scope or resource, as sent.
    target: str
    #: Seconds for which the token is valid.
    lifetime: int
    #: What every token says that is issued for the request.
    claims: Mapping[str, Any] = field(repr=False)


class KnownRequests:
    """What one process knows of one state of the database."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._version: Hashable = None
        self._grants: OrderedDict[Hashable, Grant] = OrderedDict()

    def version(self) -> Hashable:
        """The database's, which is to be taken before it is read for a grant.

        Raises:
            DatabaseUnavailableError: the database can't be read now.
        """
        version = self._database.version()
        if version is not self._version:
            self._version = version
            self._grants.clear()
        return version

    def find(self, request: Hashable, now: int) -> Grant | None:
        """What was granted to the same request, if it would be so now (milliseconds since 1970) of the version that
        was taken last.
        """
        grant = self._grants.get(request)
        return grant if grant is not None and now < grant.client.shown_until else None

    def add(self, version: Hashable, request: Hashable, grant: Grant) -> None:
        """Know it from now on, where a client may show it again and nothing has been committed since `version`."""
        if grant.client.shown_until and version is self._version:
            self._grants[request] = grant
            if len(self._grants) > MOST_KNOWN:
                self._grants.popitem(last=False)


def digest(target: str, named: str, sent: Sent) -> Hashable:
    """Another one for each request that differs in what counts: the endpoint (`target` is what it asks for, `named`
    what its path has in the tenant's place), and what was sent there.
    """
    authorization = sent.authorization
    shown = hashlib.sha256(authorization.encode("latin-1")).digest() if authorization is not None else None
    return target, named, sent.content_type, shown, hashlib.sha256(sent.body).digest()
