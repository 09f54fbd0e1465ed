"""An export: documents of one state of the store, in the order in which they were made, parties first."""

from collections.abc import Iterator, Sequence
from functools import cache

import sqlalchemy as sa
from sqlalchemy import Connection, bindparam

from headland.database.prepared import Prepared
from headland.farm.catalogue import FAMILIES, PARTIES, Family
from headland.farm.catalogue.shape import Shape, Stored
from headland.farm.documents.tables import table_of

#: Documents that are read at once.
_AT_ONCE = 500

#: References lead to what comes before.
ORDER: Sequence[Family] = (PARTIES, *(family for family in FAMILIES if family is not PARTIES))


def documents_of(connection: Connection, shape: Shape) -> Iterator[bytes]:
    """Lines of one family's documents, in one version; each item is some of them."""
    for found in _pages(connection, shape.family):
        if shape.as_stored:
            yield b"".join([b"%b\n" % document for document, _ in found])
        else:
            yield b"".join([b"%b\n" % shape.read(Stored(*each)) for each in found])


def records(connection: Connection) -> Iterator[bytes]:
    """Lines of everything, each document with all that any version has of it; each item is some of them."""
    for family in ORDER:
        version = family.stored_as
        head = b'{"family":"%b","version":"%b","document":' % (
            family.segment.of(version).encode(),
            version.encode(),
        )
        for found in _pages(connection, family):
            yield b"".join(
                [
                    b"%b%b}\n" % (head, document)
                    if rest is None
                    else b'%b%b,"rest":%b}\n' % (head, document, rest)
                    for document, rest in found
                ]
            )


def _pages(connection: Connection, family: Family) -> Iterator[list[tuple[bytes, bytes | None]]]:
    after = 0
    while found := _statement(family).rows(connection, after=after, limit=_AT_ONCE):
        yield [(document, rest) for _, document, rest in found]
        after = found[-1][0]


@cache
def _statement(family: Family) -> Prepared:
    table = table_of(family)
    return Prepared(
        sa.select(table.c.seq, table.c.document, table.c.rest)
        .where(table.c.seq > bindparam("after"))
        .order_by(table.c.seq)
        .limit(bindparam("limit", type_=sa.Integer))
    )
