"""Boundaries of fields and seasonal fields, which the first versions show as members of those.

They are gathered when a document is answered: a boundary that comes or goes does not change what it is of.
"""

from collections.abc import Sequence
from functools import cache
from typing import Any

import msgspec
import sqlalchemy as sa
from sqlalchemy import Connection, bindparam

from headland.database.prepared import Prepared
from headland.farm.catalogue import Family
from headland.farm.catalogue.boundaries import BOUNDARIES
from headland.farm.catalogue.parents import PARTY
from headland.farm.catalogue.shape import shape_of
from headland.farm.documents.hiding import visible
from headland.farm.documents.tables import table_of
from headland.farm.versions import Version

_ALL, _PRIMARY = "boundary_ids", "primary_boundary_id"

_encode = msgspec.json.Encoder().encode


class Gathering:
    """Of one family in one version."""

    def __init__(self, family: Family, version: Version) -> None:
        names = shape_of(family, version).names
        self._names = [names[each] for each in (_ALL, _PRIMARY) if each in names]
        self._kind = family.kind.usual
        party = PARTY.parameter.of(version)
        self._ids = msgspec.json.Decoder(msgspec.defstruct("Ids", [("id", str), (party, str, "")])).decode
        self._party = party

    def __bool__(self) -> bool:
        return bool(self._names)

    def added(self, connection: Connection, documents: Sequence[bytes]) -> list[bytes]:
        """The documents with what is gathered of each."""
        return [self._added(connection, document) for document in documents]

    def _added(self, connection: Connection, document: bytes) -> bytes:
        own: Any = self._ids(document)
        party = getattr(own, self._party)
        found = _statement().rows(connection, party=party, kind=self._kind, id=own.id)
        if not found:
            return document
        every, primary = self._names
        parts = [document[:-1], b',"%b":%b' % (every.encode(), _encode([each for each, _ in found]))]
        first = next((each for each, is_primary in found if is_primary), None)
        if first is not None:
            parts.append(b',"%b":%b' % (primary.encode(), _encode(first)))
        return b"".join([*parts, b"}"])


@cache
def _statement() -> Prepared:
    table = table_of(BOUNDARIES)
    return Prepared(
        sa.select(table.c.id, table.c.is_primary)
        .where(
            table.c.parent_id == bindparam("id"),
            table.c.party == bindparam("party"),
            table.c.parent_type == bindparam("kind"),
            visible(BOUNDARIES),
        )
        .order_by(table.c.seq)
    )
