"""Statements past SQLAlchemy: the same rows, the same errors."""

from collections.abc import Iterator
from pathlib import Path

import pytest
import sqlalchemy as sa
from sqlalchemy.exc import IntegrityError

from headland.database import Database, DatabaseUnavailableError
from headland.database.prepared import Prepared

FIELD = sa.Table(
    "field", sa.MetaData(), sa.Column("id", sa.Integer, primary_key=True), sa.Column("crop", sa.Text)
)
BY_CROP = sa.select(FIELD).where(FIELD.c.crop == sa.bindparam("crop"), FIELD.c.id > 1)
PAGE = sa.select(FIELD.c.id).order_by(FIELD.c.id).offset(sa.bindparam("start")).limit(sa.bindparam("size"))
INSERT = sa.insert(FIELD).values(id=sa.bindparam("number"), crop=sa.bindparam("crop"))


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    (tmp_path / "test.db").touch()
    opened = Database.at(tmp_path / "test.db", busy_timeout=0.2)
    opened.write_and_wait(FIELD.create)
    insert = Prepared(INSERT)
    for number, crop in enumerate(["rye", "oats", "rye", None, "rye"]):
        opened.write_and_wait(lambda c, n=number, crop=crop: insert.rows(c, number=n, crop=crop))
    yield opened
    opened.close()


@pytest.mark.parametrize(
    ("statement", "values"),
    [
        (BY_CROP, {"crop": "rye"}),
        (BY_CROP, {"crop": "hops"}),
        (PAGE, {"start": 1, "size": 2}),
        (PAGE, {"start": 9, "size": 2}),
    ],
)
def test_rows_are_those_that_sqlalchemy_gives(database: Database, statement: sa.Select, values: dict) -> None:
    prepared = Prepared(statement)
    expected = database.read(lambda c: [tuple(row) for row in c.execute(statement, values)])
    for _ in range(2):
        assert database.read(lambda c: prepared.rows(c, **values)) == expected
    assert database.read(lambda c: prepared.row(c, **values)) == next(iter(expected), None)


def test_errors_are_sqlalchemys(database: Database, tmp_path: Path) -> None:
    insert, gone = Prepared(INSERT), Prepared(sa.text("SELECT * FROM meadow"))
    with pytest.raises(IntegrityError, match="UNIQUE"):
        database.write_and_wait(lambda c: insert.rows(c, number=0, crop="rye"))
    with pytest.raises(DatabaseUnavailableError, match="meadow"):
        database.read(gone.rows)
    with pytest.raises(DatabaseUnavailableError, match="readonly"):
        database.read(lambda c: insert.rows(c, number=9, crop="rye"))
    assert database.read(lambda c: Prepared(PAGE).rows(c, start=0, size=9)) == [(n,) for n in range(5)]


def test_a_read_leaves_nothing_open(database: Database) -> None:
    """A statement that is not run to its end would keep an old state of the database in view."""
    prepared = Prepared(sa.select(FIELD.c.id).order_by(FIELD.c.id))
    assert database.read(prepared.row) == (0,)
    database.write_and_wait(lambda c: c.execute(sa.delete(FIELD)))
    assert database.read(prepared.rows) == []
