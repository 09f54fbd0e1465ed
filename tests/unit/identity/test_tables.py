from sqlalchemy import create_engine, inspect

from headland.audit import tables as audit_tables
from headland.database import metadata, upgrade
from headland.identity import tables


def shape(inspector, table: str) -> dict:
    return {
        "columns": {
            column["name"]: (str(column["type"]), column["nullable"], column["primary_key"])
            for column in inspector.get_columns(table)
        },
        "references": {
            (*key["constrained_columns"], key["referred_table"], str(key["options"]))
            for key in inspector.get_foreign_keys(table)
        },
        "unique": {tuple(key["column_names"]) for key in inspector.get_unique_constraints(table)},
        "indexes": {tuple(index["column_names"]) for index in inspector.get_indexes(table)},
    }


def test_tables_are_what_the_migrations_make(tmp_path):
    migrated, declared = (f"sqlite:///{tmp_path / name}.db" for name in ("migrated", "declared"))
    upgrade(migrated)
    engines = [create_engine(migrated), create_engine(declared)]
    own = [
        tables.tenant,
        tables.application,
        tables.secret,
        tables.certificate,
        tables.used_assertion,
        tables.signing_key,
        audit_tables.entry,
    ]
    metadata.create_all(engines[1], tables=own)
    for table in own:
        one, other = (shape(inspect(engine), table.name) for engine in engines)
        assert one == other
        assert one["columns"]
    for engine in engines:
        engine.dispose()
