from sqlalchemy import create_engine, inspect

from headland.control import tables
from headland.database import metadata, upgrade

OWN = [item for item in vars(tables).values() if hasattr(item, "primary_key")]


def shape(inspector, table: str) -> dict:
    return {
        "columns": {
            column["name"]: (str(column["type"]), column["nullable"], column["primary_key"])
            for column in inspector.get_columns(table)
        },
        "references": {
            (*key["constrained_columns"], key["referred_table"]) for key in inspector.get_foreign_keys(table)
        },
        "unique": {tuple(key["column_names"]) for key in inspector.get_unique_constraints(table)},
        "indexes": {tuple(index["column_names"]) for index in inspector.get_indexes(table)},
    }


def test_tables_are_what_the_migrations_make(tmp_path):
    migrated, declared = (f"sqlite:///{tmp_path / name}.db" for name in ("migrated", "declared"))
    upgrade(migrated)
    engines = [create_engine(migrated), create_engine(declared)]
    metadata.create_all(engines[1], tables=OWN)
    assert len(OWN) == 9
    for table in OWN:
        one, other = (shape(inspect(engine), table.name) for engine in engines)
        assert one == other
        assert one["columns"]
    for engine in engines:
        engine.dispose()
