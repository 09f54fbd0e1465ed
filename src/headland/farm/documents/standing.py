"""What there is when a document is about to be written: the document itself, what it lies below, and what a cascade
takes away. One statement tells it all, since each write asks for all of it.
"""

from functools import cache
from typing import Any, NamedTuple

import sqlalchemy as sa
from sqlalchemy import Connection, bindparam

from headland.database.prepared import Prepared
from headland.farm.catalogue import Family
from headland.farm.documents.hiding import UnderWay, cascades_table, visible
from headland.farm.documents.parents import Above, above
from headland.farm.documents.rows import Key, Row, named, read_columns
from headland.farm.documents.tables import key_columns, table_of
from headland.farm.errors import ResourceNotFoundError
from headland.farm.versions import Version


class Standing(NamedTuple):
    """What was found."""

    #: The document that is to be changed; None where it is to be made.
    row: Row | None
    #: The first of what it lies below that does not exist.
    missing: Above | None
    #: The cascade that is under way, whosever documents it takes.
    cascade: UnderWay | None

    @property
    def etag(self) -> str | None:
        """That of the document that is there."""
        return None if self.row is None else self.row.etag

    def check_parents(self, version: Version) -> None:
        """Raises ResourceNotFoundError where the document is to be made below something that does not exist."""
        if self.row is None and self.missing is not None:
            raise ResourceNotFoundError(self.missing.family.kind.of(version), self.missing.id)


def standing(connection: Connection, family: Family, key: Key) -> Standing:
    """What there is under a document's key, and round it."""
    parents = above(family, key)
    values: dict[str, Any] = named(family, key)
    for number, parent in enumerate(parents):
        values[f"party_{number}"], values[f"id_{number}"] = parent.party, parent.id
    statement = _statement(family, tuple(parent.family for parent in parents))
    ((party, effective, *found),) = statement.rows(connection, **values)
    cascade = None if party is None else UnderWay(party, bool(effective))
    row = found[len(parents) :]
    missing = next((parent for parent, there in zip(parents, found, strict=False) if not there), None)
    return Standing(None if row[0] is None else Row(*row), missing, cascade)


@cache
def _statement(family: Family, above: tuple[Family, ...]) -> Prepared:
    table = table_of(family)
    # By another name than where `visible` looks at it.
    cascade = cascades_table.alias("cascade")
    this = [table.c[name] == bindparam(name) for name in key_columns(family)]
    there = [_exists(other, number) for number, other in enumerate(above)]
    always = sa.select(sa.literal_column("1").label("one")).subquery("always")
    found = always.outerjoin(table, sa.and_(*this, visible(family))).outerjoin(cascade, sa.true())
    return Prepared(
        sa.select(cascade.c.party, cascade.c.effective, *there, *read_columns(family)).select_from(found)
    )


def _exists(family: Family, number: int) -> sa.Exists:
    table = table_of(family)
    this = [table.c.party == bindparam(f"party_{number}"), table.c.id == bindparam(f"id_{number}")]
    return sa.exists(sa.select(table.c.id).where(*this, visible(family)))
