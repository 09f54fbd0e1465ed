"""An export: documents of one state of the store, in the order in which they were made, parties first."""

from collections.abc import Iterator, Sequence
from functools import cache
from graphlib import TopologicalSorter
from typing import NamedTuple

import msgspec
import sqlalchemy as sa
from sqlalchemy import Connection, bindparam

from headland.database.prepared import Prepared
from headland.farm.bulk.wire import RecordFile
from headland.farm.catalogue import BY_NAME, FAMILIES, PARTIES, Family
from headland.farm.catalogue.family import GEOMETRY
from headland.farm.catalogue.shape import Shape, Stored, shape_of
from headland.farm.documents.files import belongs_to
from headland.farm.documents.hiding import visible
from headland.farm.documents.tables import files_table, table_of
from headland.farm.paths import file_address, file_name

#: Documents that are read at once.
_AT_ONCE = 500


def _order() -> Iterator[Family]:
    """References lead to what comes before."""
    needed = {
        family.name: [name for reference in family.references for name in reference.families]
        + [PARTIES.name] * family.of_party
        for family in FAMILIES
    }
    for name in TopologicalSorter(needed).static_order():
        yield BY_NAME[name]


ORDER: Sequence[Family] = tuple(_order())


class _Found(NamedTuple):
    """A document, and what is known of its file, if it has one."""

    stored: Stored
    size: int | None
    sha256: bytes | None


def documents_of(connection: Connection, shape: Shape) -> Iterator[bytes]:
    """Lines of one family's documents, in one version; each item is some of them."""
    for page in _pages(connection, shape.family):
        if shape.as_stored and not shape.has_geometry:
            yield b"".join([b"%b\n" % found.stored.document for found in page])
        else:
            yield b"".join([b"%b\n" % shape.read(found.stored) for found in page])


def records(connection: Connection) -> Iterator[bytes]:
    """Lines of everything, each document with all that any version has of it; each item is some of them."""
    for family in ORDER:
        version = family.stored_as
        shape = shape_of(family, version)
        head = b'{"family":"%b","version":"%b","document":' % (
            family.segment.of(version).encode(),
            version.encode(),
        )
        for page in _pages(connection, family):
            yield b"".join([_record(head, shape, found) for found in page])


def _record(head: bytes, shape: Shape, found: _Found) -> bytes:
    stored = found.stored
    rest = stored.rest
    if stored.apart is not None and not shape.has_geometry:
        # Of its members, the geometry is the only one that is not made anew.
        kept = msgspec.json.decode(rest) if rest else {}
        rest = msgspec.json.encode(kept | {GEOMETRY: msgspec.json.decode(stored.apart)[GEOMETRY]})
    document = shape.read(stored)
    beside = b"" if rest is None else b',"rest":%b' % rest
    if found.sha256 is not None:
        beside += b',"file":%b' % _file(shape, found)
    return b"%b%b%b}\n" % (head, document, beside)


def _file(shape: Shape, found: _Found) -> bytes:
    document = shape.opened(found.stored)
    path = file_address(shape.family, shape.version, document)
    name = file_name(shape.family, shape.version, document)
    return msgspec.json.encode(RecordFile(path, name, found.size or 0, (found.sha256 or b"").hex()))


def _pages(connection: Connection, family: Family) -> Iterator[list[_Found]]:
    after = 0
    while found := _statement(family).rows(connection, after=after, limit=_AT_ONCE):
        yield [_Found(Stored(*stored), size, sha256) for _, *stored, size, sha256 in found]
        after = found[-1][0]


@cache
def _statement(family: Family) -> Prepared:
    table, nothing = table_of(family), sa.null()
    apart = table.c.apart if family.located else nothing
    columns = (table.c.seq, table.c.document, table.c.rest, apart)
    query = sa.select(*columns, nothing, nothing)
    if family.has_file:
        query = sa.select(*columns, files_table.c.size, files_table.c.sha256).join_from(
            table, files_table, belongs_to(family), isouter=True
        )
    return Prepared(
        query.where(table.c.seq > bindparam("after"), visible(family))
        .order_by(table.c.seq)
        .limit(bindparam("limit", type_=sa.Integer))
    )
