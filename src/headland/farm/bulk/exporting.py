"""An export: documents of one state of the store, in the order in which they were made, parties first."""

from collections.abc import Iterator, Sequence
from functools import cache

import msgspec
import sqlalchemy as sa
from sqlalchemy import Connection, bindparam

from headland.database.prepared import Prepared
from headland.farm.catalogue import FAMILIES, PARTIES, Family
from headland.farm.catalogue.family import GEOMETRY
from headland.farm.catalogue.shape import Shape, Stored, shape_of
from headland.farm.documents.tables import table_of

#: Documents that are read at once.
_AT_ONCE = 500

#: References lead to what comes before.
ORDER: Sequence[Family] = (PARTIES, *(family for family in FAMILIES if family is not PARTIES))


def documents_of(connection: Connection, shape: Shape) -> Iterator[bytes]:
    """Lines of one family's documents, in one version; each item is some of them."""
    for found in _pages(connection, shape.family):
        if shape.as_stored and not shape.has_geometry:
            yield b"".join([b"%b\n" % document for document, _, _ in found])
        else:
            yield b"".join([b"%b\n" % shape.read(Stored(*each)) for each in found])


def records(connection: Connection) -> Iterator[bytes]:
    """Lines of everything, each document with all that any version has of it; each item is some of them."""
    for family in ORDER:
        version = family.stored_as
        shape = shape_of(family, version)
        head = b'{"family":"%b","version":"%b","document":' % (
            family.segment.of(version).encode(),
            version.encode(),
        )
        for found in _pages(connection, family):
            yield b"".join([_record(head, shape, Stored(*each)) for each in found])


def _record(head: bytes, shape: Shape, stored: Stored) -> bytes:
    rest = stored.rest
    if stored.apart is not None and not shape.has_geometry:
        # Of its members, the geometry is the only one that is not made anew.
        kept = msgspec.json.decode(rest) if rest else {}
        rest = msgspec.json.encode(kept | {GEOMETRY: msgspec.json.decode(stored.apart)[GEOMETRY]})
    document = shape.read(stored)
    return b"%b%b}\n" % (head, document) if rest is None else b'%b%b,"rest":%b}\n' % (head, document, rest)


def _pages(
    connection: Connection, family: Family
) -> Iterator[list[tuple[bytes, bytes | None, bytes | None]]]:
    after = 0
    while found := _statement(family).rows(connection, after=after, limit=_AT_ONCE):
        yield [(document, rest, apart) for _, document, rest, apart in found]
        after = found[-1][0]


@cache
def _statement(family: Family) -> Prepared:
    table = table_of(family)
    return Prepared(
        sa.select(table.c.seq, table.c.document, table.c.rest, table.c.apart if family.located else sa.null())
        .where(table.c.seq > bindparam("after"))
        .order_by(table.c.seq)
        .limit(bindparam("limit", type_=sa.Integer))
    )
