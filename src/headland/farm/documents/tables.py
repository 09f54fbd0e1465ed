"""Tables of an instance's store: one a family, made from its declaration."""

from datetime import datetime
from functools import cache
from typing import Any

import sqlalchemy as sa

from headland.farm.catalogue import FAMILIES, Family
from headland.farm.catalogue.filters import Column
from headland.farm.documents.places import index_places, place_columns

metadata = sa.MetaData()

#: What a store is, in its only row.
store_table = sa.Table(
    "store",
    metadata,
    sa.Column("id", sa.Integer, primary_key=True, autoincrement=False),
    #: Fingerprint of the catalogue that the tables of the families were last brought in line with.
    sa.Column("catalogue", sa.String(64), nullable=False),
    #: Signs the tokens of pages, so that another instance's are not taken.
    sa.Column("secret", sa.LargeBinary(32), nullable=False),
)

#: Text is compared by code point, whatever the order of a PostgreSQL database.
TEXT = sa.Text().with_variant(sa.Text(collation="C"), "postgresql")

#: Bytes that belong to documents, or did, or may (`headland.farm.documents.files`).
files_table = sa.Table(
    "files",
    metadata,
    sa.Column("name", TEXT, primary_key=True),
    sa.Column("state", TEXT, nullable=False),
    #: The process that has received it.
    sa.Column("owner", TEXT, nullable=False),
    # Whose it is, while it is a document's.
    sa.Column("family", TEXT),
    sa.Column("party", TEXT),
    sa.Column("within", TEXT),
    sa.Column("id", TEXT),
    #: Bytes.
    sa.Column("size", sa.BigInteger),
    sa.Column("sha256", sa.LargeBinary(32)),
    sa.Index("ix_files_family", "family", "party", "within", "id"),
    sa.Index("ix_files_state", "state"),
)

_TYPES: dict[Any, sa.types.TypeEngine[Any]] = {
    str: TEXT,
    int: sa.BigInteger(),
    float: sa.Double(),
    bool: sa.Boolean(),
    # Milliseconds since the epoch.
    datetime: sa.BigInteger(),
    # The items, each between separators (`facts`).
    list[str]: TEXT,
}


def column_of(column: Column) -> sa.Column[Any]:
    """A declared column, ready for a table."""
    return sa.Column(column.name, _TYPES[column.type])


def parent_columns(family: Family) -> list[str]:
    """Columns that say what a document lies below."""
    return [name for name, there in (("party", family.of_party), ("within", family.below)) if there]


def key_columns(family: Family) -> list[str]:
    """Columns that name one document."""
    return ["party", "id", *(["within"] if family.below else [])]


def _table_of(family: Family) -> sa.Table:
    name = family.name
    columns = {column.name: column for column in family.columns if column.name != "id"}
    parents = parent_columns(family)
    indexes = [
        # Lists across parties ask for ids, too.
        sa.Index(f"ix_{name}_id", "id", *(parents or ["party"]), unique=True),
        *([sa.Index(f"ix_{name}_party", *parents, "seq")] if parents else []),
        *(sa.Index(f"ix_{name}_{c.name}", c.name, "seq") for c in columns.values() if c.indexed),
    ]
    table = sa.Table(
        name,
        metadata,
        #: In the order of creation: the order of lists.
        sa.Column("seq", sa.BigInteger().with_variant(sa.Integer, "sqlite"), primary_key=True),
        #: Id of the party that the document belongs to; empty where its family's belong to none.
        sa.Column("party", TEXT, nullable=False),
        #: Ids of its further parents (`Key.within`).
        *([sa.Column("within", TEXT, nullable=False)] if family.below else []),
        sa.Column("id", TEXT, nullable=False),
        sa.Column("etag", TEXT, nullable=False),
        sa.Column("document", sa.LargeBinary, nullable=False),
        sa.Column("rest", sa.LargeBinary),
        *(column_of(column) for column in columns.values()),
        *(place_columns() if family.located else ()),
        *indexes,
    )
    if family.located:
        index_places(table)
    return table


_TABLES = {family.name: _table_of(family) for family in FAMILIES}


@cache
def table_of(family: Family) -> sa.Table:
    """A family's table."""
    return _TABLES[family.name]
