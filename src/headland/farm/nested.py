"""What is done with documents in a version that has them below another one (`Nesting`)."""

import msgspec
from sqlalchemy import Connection
from starlette.requests import Request

from headland.farm.catalogue import FAMILIES, Family
from headland.farm.catalogue.nesting import Nesting
from headland.farm.catalogue.shape import Stored, shape_of
from headland.farm.documents import documents, rows
from headland.farm.documents.conditions import Conditions
from headland.farm.documents.documents import Written
from headland.farm.documents.making import Patch
from headland.farm.documents.pages import comparable
from headland.farm.documents.rows import NO_PARTY, Key, Row
from headland.farm.documents.stamps import Stamp
from headland.farm.documents.tokens import Continuation
from headland.farm.errors import InvalidInputError, ResourceElsewhereError, ResourceNotFoundError
from headland.farm.handlers import Below, Handlers, Surroundings
from headland.farm.queries import paging_name
from headland.farm.versions import Version


class NestedHandlers(Handlers):
    """One family's in one version. They are stored as those that are not nested, and their ids are the instance's."""

    def __init__(
        self, family: Family, nesting: Nesting, version: Version, surroundings: Surroundings
    ) -> None:
        super().__init__(family, version, surroundings)
        self._nesting = nesting
        self._lists_as_stored = False
        self._above = next(each for each in FAMILIES if each.name == nesting.parent.family)
        self._parameter = nesting.parent.parameter.of(version)
        #: In it, documents have the list of those that they lie below.
        self._stored = shape_of(family, family.stored_as)

    def _find(self, connection: Connection, request: Request) -> Row | None:
        found = super()._find(connection, request)
        return found if found and self._is_below(found.stored, request) else None

    def _put(
        self, connection: Connection, request: Request, patch: Patch, stamp: Stamp, conditions: Conditions
    ) -> Written:
        above, key = request.path_params[self._parameter], self._key(request)
        names = self._stored.names
        members = {
            names[a]: patch.members[name] for a, name in self._shape.names.items() if name in patch.members
        }
        before = rows.find(connection, self._family, key)
        if before is None:
            if not rows.exists(connection, self._above, Key(NO_PARTY, above)):
                raise ResourceNotFoundError(self._above.kind.of(self._version), above)
            members[names[self._nesting.attribute]] = [above]
        elif not self._is_below(before.stored, request):
            raise ResourceElsewhereError(self._kind, key.id, self._above.kind.of(self._version))
        return documents.write(
            connection, self._stored, key, patch._replace(members=members), stamp=stamp, conditions=conditions
        )

    def _remove(self, connection: Connection, request: Request, conditions: Conditions) -> None:
        if self._find(connection, request) is not None:
            super()._remove(connection, request, conditions)

    def _wanted(self, request: Request, below: Below, secret: bytes) -> Continuation:
        wanted = super()._wanted(request, below, secret)
        above = request.path_params.get(self._parameter)
        name = self._nesting.filter.parameter
        asked = {} if above is None else {name: [comparable(self._nesting.filter, above)]}
        if wanted.after and asked.get(name) != wanted.asked.get(name):
            raise InvalidInputError(
                "The skip token is of another list.", paging_name("skipToken", self._version)
            )
        return msgspec.structs.replace(wanted, asked={**wanted.asked, **asked})

    def _listed(self, stored: Stored, request: Request) -> bytes:
        return self._shown(stored, request)

    def _shown(self, stored: Stored, request: Request) -> bytes:
        above = request.path_params.get(self._parameter)
        if above is None:
            above = next(iter(self._all_above(stored)), None)
        wire = self._shape.opened(stored)
        if above is not None:
            wire[self._shape.names[self._nesting.parent.attribute]] = above
        return msgspec.json.encode(wire)

    def _is_below(self, stored: Stored, request: Request) -> bool:
        return request.path_params[self._parameter] in self._all_above(stored)

    def _all_above(self, stored: Stored) -> list[str]:
        found: list[str] = self._stored.by_attribute(stored).get(self._nesting.attribute, [])
        return found
