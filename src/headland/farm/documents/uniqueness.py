"""What at most one document may say."""

from functools import cache

import sqlalchemy as sa
from sqlalchemy import Connection, bindparam

from headland.database.prepared import Prepared
from headland.farm.catalogue import Family
from headland.farm.catalogue.shape import Shape
from headland.farm.documents.facts import Facts, fact
from headland.farm.documents.hiding import visible
from headland.farm.documents.rows import Key
from headland.farm.documents.tables import table_of
from headland.farm.errors import ResourceConflictError


def says_alone(family: Family, known: Facts) -> bool:
    """Whether what is kept of a document has what another one of the family must not say, too (`Family.only_one`)."""
    rule = family.only_one
    if rule is None or not fact(family, known, rule.says):
        return False
    return all(fact(family, known, name) is not None for name in rule.of)


def check_only_one(connection: Connection, shape: Shape, key: Key, known: Facts) -> None:
    """Raises ResourceConflictError where another document says already what this one wants to."""
    rule = shape.family.only_one
    if rule is None or not says_alone(shape.family, known):
        return
    same = {name: fact(shape.family, known, name) for name in rule.of}
    found = _other(shape.family).row(connection, party=key.party, own=key.id, **same)
    if found is not None:
        member = shape.names.get(rule.says, rule.says)
        raise ResourceConflictError(shape.family.kind.of(shape.version), key.id, found[0], member)


@cache
def _other(family: Family) -> Prepared:
    table, rule = table_of(family), family.only_one
    names = () if rule is None else rule.of
    said = sa.false() if rule is None else table.c[rule.says].is_(sa.true())
    same = [table.c[name] == bindparam(name) for name in names]
    return Prepared(
        sa.select(table.c.id)
        .where(
            table.c.party == bindparam("party"),
            table.c.id != bindparam("own"),
            said,
            *same,
            visible(family),
        )
        .limit(1)
    )
