"""Records as bytes: what is joined is what msgspec would have encoded, and is kept true by every change."""

import json
import sqlite3
import uuid

import msgspec
import pytest

from headland.database import Database, upgrade
from headland.database.upgrade import MIGRATIONS
from headland.jobs.batches import record, store
from headland.jobs.batches.states import State
from headland.jobs.batches.wire import AppInfo, Batch, BatchList

NAMES = ["harvest", 'with "quotes" \\ and \x01\t\x7f', "Ernte 🌾 Größe \u2028", "", None]
INFO = AppInfo(spark_ui_url="http://127.0.0.1:4040/")


def batch(name: str | None, log: list[str]) -> Batch:
    return Batch(7, name, "app", None, State.RUNNING, "local-1", INFO, log)


def head(name: str | None) -> bytes:
    return record.head((7, name, "app", None, State.RUNNING, "local-1", msgspec.json.encode(INFO)))


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("log", [[], ["stdout: ", 'said "log":[]}', "ü"]])
def test_a_record_is_what_its_declaration_says(name, log):
    assert record.whole(head(name), msgspec.json.encode(log)) == msgspec.json.encode(batch(name, log))


@pytest.mark.parametrize("count", [0, 1, 3])
def test_so_is_a_page(count):
    whole = [record.whole(head(name), b"[]") for name in NAMES[:count]]
    said = BatchList(from_=-5, total=12, sessions=[batch(name, []) for name in NAMES[:count]])
    assert record.page(-5, 12, whole) == msgspec.json.encode(said)


@pytest.mark.parametrize(
    "values",
    [
        {"state": State.RUNNING, "started_at": 5},
        {"app_id": "local-1"},
        {"app_info": msgspec.json.encode(INFO)},
        {"state": State.DEAD, "finished_at": 9, "exit_code": 1, "log_tail": b"[]"},
        {"claimed_by": "node"},
    ],
)
def test_a_change_of_a_row_changes_its_record(database: Database, values):
    new = store.NewBatch(uuid.uuid4().hex, "harvest", "app", "alice", b"{}", 1)
    made = database.write_and_wait(lambda connection: store.create(connection, new))
    for _ in range(2):  # the second is for naught where the first ended it
        database.write_and_wait(lambda connection: store.change(connection, made.id, **values))
        row = database.read(lambda connection: store.get(connection, made.id))
        shown = database.read(lambda connection: store.shown(connection, made.id))
        assert row.record == shown.record == record.head(tuple(getattr(row, name) for name in record.COLUMNS))


def test_an_ended_batch_keeps_its_record(database: Database):
    new = store.NewBatch(uuid.uuid4().hex, None, None, None, b"{}", 1)
    made = database.write_and_wait(lambda connection: store.create(connection, new))
    for state in (State.SUCCESS, State.DEAD):
        ended = {"state": state, "finished_at": 9}
        database.write_and_wait(lambda connection, ended=ended: store.change(connection, made.id, **ended))
    row = database.read(lambda connection: store.get(connection, made.id))
    assert json.loads(row.record[:-1] + b"}")["state"] == row.state == State.SUCCESS


def test_rows_of_an_earlier_version_get_their_records(tmp_path):
    file = tmp_path / "old.db"
    rows = [
        (number, name, State.RUNNING, info)
        for number, (name, info) in enumerate((name, info) for name in NAMES for info in (None, INFO))
    ]
    _first_version(file)
    with sqlite3.connect(file) as old:
        old.executemany(
            "INSERT INTO batch (id, run_key, name, state, app_info, request, created_at, finished_at) "
            "VALUES (?, hex(randomblob(16)), ?, ?, ?, '{}', 1, 2)",
            [(*row[:3], row[3] and msgspec.json.encode(row[3])) for row in rows],
        )
    old.close()
    upgrade(f"sqlite:///{file}")
    database = Database.at(file)
    shown = database.read(lambda connection: store.page(connection, 0, 100))
    database.close()
    assert [record.whole(row.record, b"[]") for row in shown] == [
        msgspec.json.encode(Batch(number, name, None, None, state, None, info or AppInfo(), []))
        for number, name, state, info in rows
    ]


def _first_version(file):
    from alembic import command
    from alembic.config import Config
    from sqlalchemy import create_engine

    config = Config()
    config.set_main_option("script_location", str(MIGRATIONS))
    config.set_main_option("path_separator", "os")
    engine = create_engine(f"sqlite:///{file}")
    with engine.begin() as connection:
        config.attributes["connection"] = connection
        command.upgrade(config, "0001")
    engine.dispose()
