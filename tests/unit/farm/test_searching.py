"""What SQLite does for a search by place: no row is looked at that the R*Tree has not named."""

import pytest
import sqlalchemy as sa

from headland.farm.catalogue import FAMILIES
from headland.farm.documents import few
from headland.farm.documents.hiding import cascades_table, going_table
from headland.farm.documents.pages import Way, _statement
from headland.farm.documents.tables import table_of


@pytest.mark.parametrize(
    "family", [each for each in FAMILIES if each.located], ids=lambda family: family.name
)
def test_few_are_found_by_the_index(family: object) -> None:
    engine = sa.create_engine("sqlite://")
    with engine.connect() as connection:
        for table in (table_of(family), cascades_table, going_table):
            table.create(connection)
        compiled = few._statement(family, (), False, "sqlite")._compile(connection.dialect)
        values = (None,) * len(compiled.names)
        plan = connection.exec_driver_sql(f"EXPLAIN QUERY PLAN {compiled.text}", values).all()
    engine.dispose()
    tree, rows, *_ = [step[3] for step in plan]
    assert "VIRTUAL TABLE INDEX 2:B0D1B2D3" in tree
    assert "(rowid=?)" in rows


@pytest.mark.parametrize(
    "family", [each for each in FAMILIES if each.located], ids=lambda family: family.name
)
@pytest.mark.parametrize("below", [(), ("party",)])
def test_rows_are_found_by_their_numbers(family: object, below: tuple[str, ...]) -> None:
    engine = sa.create_engine("sqlite://")
    with engine.connect() as connection:
        for table in (table_of(family), cascades_table, going_table):
            table.create(connection)
        compiled = _statement(family, below, (), Way.AMONG, False)._compile(connection.dialect)
        values = (None,) * len(compiled.names)
        plan = connection.exec_driver_sql(f"EXPLAIN QUERY PLAN {compiled.text}", values).all()
    engine.dispose()
    steps = [step[3] for step in plan]
    assert any("(rowid=?)" in step or "AND seq=?" in step for step in steps), steps
    # Of cascades there is one row at the most.
    listed = [step for step in steps if "SCAN" in step and "json_each" not in step]
    assert listed == ["SCAN cascades"], steps
