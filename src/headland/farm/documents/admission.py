"""What may be written while a cascade is under way: nothing of what goes, and nothing that is linked to it.

Once it is hidden, it is as if it were gone: what has the key of a hidden document is made anew.
"""

from functools import cache

import sqlalchemy as sa
from sqlalchemy import Connection, bindparam

from headland.database.prepared import Prepared
from headland.farm.catalogue import Family
from headland.farm.catalogue.shape import Shape
from headland.farm.documents import rows
from headland.farm.documents.facts import Facts
from headland.farm.documents.hiding import UnderWay, going_table, visible
from headland.farm.documents.references import referred_to
from headland.farm.documents.rows import Key
from headland.farm.documents.tables import table_of
from headland.farm.errors import ResourceGoingError


def admit(connection: Connection, shape: Shape, key: Key, known: Facts, cascade: UnderWay) -> None:
    """Have a document be written while a cascade is under way; it is not made of a hidden one. `known` is kept beside
    it (`Made.facts`).

    Raises:
        ResourceGoingError: a cascade is about to take it away, or what it refers to.
    """
    family = shape.family
    if not family.of_party or cascade.party != key.party:
        return
    if cascade.effective:
        hidden = sa.and_(rows.is_key(family, key), sa.not_(visible(family)))
        rows.delete_where(connection, family, hidden)
    else:
        _check(connection, shape, key, known)
    _shorten(connection, family)


def _check(connection: Connection, shape: Shape, key: Key, known: Facts) -> None:
    family, version = shape.family, shape.version
    if _goes(connection, family, key):
        raise ResourceGoingError(family.kind.of(version), key.id)
    for reference, (other, wanted) in referred_to(family, key, known):
        # A cascade takes nothing that is no party's.
        if other.of_party and _goes(connection, other, wanted):
            member = shape.names.get(reference.attribute, reference.attribute)
            raise ResourceGoingError(other.kind.of(version), wanted.id, member)


def _goes(connection: Connection, family: Family, key: Key) -> bool:
    return _noted().row(connection, family=family.name, id=key.id, within=key.within) is not None


@cache
def _noted() -> Prepared:
    columns = (going_table.c[name] for name in ("family", "id", "within"))
    this = (column == bindparam(column.name) for column in columns)
    return Prepared(sa.select(going_table.c.number).where(*this).limit(sa.literal_column("1")))


def _shorten(connection: Connection, family: Family) -> None:
    """Have no number be noted that the table's next row may get. SQLite gives the last ones again when their rows are
    gone: a new document must not be taken for what was there.
    """
    table, going = table_of(family), going_table
    last = connection.execute(sa.select(sa.func.max(table.c.seq))).scalar() or 0
    of_family = going.c.family == family.name
    connection.execute(sa.delete(going).where(of_family, going.c.first > last))
    nearest = sa.select(sa.func.max(going.c.first)).where(of_family).scalar_subquery()
    beyond = sa.and_(of_family, going.c.first == nearest, going.c.last > last)
    connection.execute(sa.update(going).where(beyond).values(last=last))
