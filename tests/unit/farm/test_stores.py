"""Instances' stores: how they come and go, and what is in them."""

import asyncio
import subprocess
import sys
import threading
from pathlib import Path

import pytest
import sqlalchemy as sa

from headland.database import DatabaseUnavailableError
from headland.farm.catalogue import FAMILIES
from headland.farm.catalogue.shape import shape_of
from headland.farm.documents import documents, pages, rows
from headland.farm.documents.conditions import Conditions
from headland.farm.documents.making import patch_of
from headland.farm.documents.rows import Key
from headland.farm.documents.stamps import Stamp
from headland.farm.documents.tables import store_table
from headland.farm.stores import NewerStoreError, Store, StoreKeyError, Stores, layout, schema
from headland.farm.versions import Version

PARTIES = shape_of(FAMILIES[0], Version.C)


def put(store: Store, party: str, **body: object) -> None:
    key, stamp = Key("", party), Stamp(1_800_000_000, "me")
    store.write_and_wait(
        lambda connection: documents.write(
            connection, PARTIES, key, patch_of(PARTIES, body), stamp=stamp, conditions=Conditions()
        )
    )


def names(store: Store, **asked: list[object]) -> int:
    return len(store.read(lambda c: pages.page(c, PARTIES.family, None, asked, after=0, size=99).rows))


def test_a_store_is_laid_out_once(stores: Stores, root: Path) -> None:
    stores.lay_out("one")
    secret = stores.open("one").secret
    put(stores.open("one"), "p1")
    stores.lay_out("one")
    stores.close()
    assert names(stores.open("one")) == 1
    assert stores.open("one").secret == secret
    assert root.stat().st_mode & 0o777 == 0o700
    assert (root / "one").stat().st_mode & 0o777 == 0o700


def test_stores_have_nothing_in_common(stores: Stores) -> None:
    for key in ("one", "two"):
        stores.lay_out(key)
    put(stores.open("one"), "p1")
    assert names(stores.open("two")) == 0
    assert stores.open("one").secret != stores.open("two").secret


def test_a_removed_store_is_gone(stores: Stores, root: Path) -> None:
    stores.lay_out("one")
    put(stores.open("one"), "p1")
    stores.remove("one")
    stores.remove("one")
    assert list(root.iterdir()) == []
    with pytest.raises(DatabaseUnavailableError):
        stores.open("one")
    stores.lay_out("one")
    assert names(stores.open("one")) == 0


@pytest.mark.parametrize("key", ["", ".", "..", "../one", "a/b", "/etc", ".one.going", "a\0b", "x" * 101])
def test_keys_that_lead_elsewhere(stores: Stores, key: str) -> None:
    for do in (stores.lay_out, stores.remove, stores.open):
        with pytest.raises(StoreKeyError):
            do(key)


@pytest.mark.parametrize("step", ["upgrade", "_flush", "rename"])
def test_a_making_that_was_cut_short(
    stores: Stores, root: Path, monkeypatch: pytest.MonkeyPatch, step: str
) -> None:
    def cut(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(*((Path, step) if step == "rename" else (layout, step)), cut)
        with pytest.raises(KeyboardInterrupt):
            stores.lay_out("one")
    with pytest.raises(DatabaseUnavailableError):
        stores.open("one")
    stores.lay_out("one")
    assert names(stores.open("one")) == 0
    assert [path.name for path in root.iterdir()] == ["one"]


def test_a_removal_that_was_cut_short(stores: Stores, root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    stores.lay_out("one")
    put(stores.open("one"), "p1")

    def cut(path: Path) -> None:
        (path / "farm.db").unlink()
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(layout.shutil, "rmtree", cut)
        with pytest.raises(KeyboardInterrupt):
            stores.remove("one")
    with pytest.raises(DatabaseUnavailableError):
        stores.open("one")
    stores.remove("one")
    assert list(root.iterdir()) == []


def test_an_unfinished_making_goes_with_its_store(stores: Stores, root: Path) -> None:
    stores.lay_out("one")
    (root / ".one.making").mkdir()
    stores.remove("one")
    assert list(root.iterdir()) == []


def test_few_stay_open(root: Path) -> None:
    stores = Stores(root, most_open=2)
    threads = threading.active_count()
    for number in range(5):
        stores.lay_out(f"s{number}")
        put(stores.open(f"s{number}"), "p1", name=str(number))
    assert threading.active_count() - threads == 2
    for number in range(5):
        assert names(stores.open(f"s{number}"), names=[str(number)]) == 1
    stores.close()
    assert threading.active_count() == threads


@pytest.mark.anyio
async def test_a_store_that_is_written_to_stays_open(root: Path) -> None:
    stores = Stores(root, most_open=1)
    for key in ("one", "two"):
        stores.lay_out(key)
    one = stores.open("one")
    begun, go_on = threading.Event(), threading.Event()

    def slow(connection: sa.Connection) -> int:
        begun.set()
        go_on.wait(30)
        return connection.execute(sa.select(sa.literal(7))).scalar_one()

    writing = asyncio.create_task(one.write(slow))
    await asyncio.to_thread(begun.wait, 30)
    stores.open("two")
    assert stores.open("one") is one
    go_on.set()
    assert await writing == 7
    stores.close()


def test_a_store_of_a_later_headland(stores: Stores, root: Path) -> None:
    stores.lay_out("one")
    change(root, sa.update(store_table).values(version=len(schema.STEPS) + 1))
    with pytest.raises(NewerStoreError):
        stores.open("one")


def test_steps_are_taken_once(stores: Stores, monkeypatch: pytest.MonkeyPatch) -> None:
    stores.lay_out("one")
    taken = []
    monkeypatch.setattr(
        schema, "STEPS", (*schema.STEPS, lambda _: taken.append(1), lambda _: taken.append(2))
    )
    stores.open("one")
    stores.close()
    stores.open("one")
    assert taken == [1, 2]


def test_an_older_store_gets_what_the_catalogue_has_gained(
    stores: Stores, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(schema, "_AT_ONCE", 2)
    stores.lay_out("one")
    for number in range(5):
        put(stores.open("one"), f"p{number}", name="odd" if number % 2 else "even", properties={"a": "b"})
    stores.close()
    before = described(root)
    # As it was before names and properties could be filtered on, and before there were crops.
    change(
        root,
        sa.text("DROP INDEX ix_parties_name"),
        sa.text("ALTER TABLE parties DROP COLUMN name"),
        sa.text("ALTER TABLE parties DROP COLUMN properties"),
        sa.text("DROP TABLE crops"),
        sa.update(store_table).values(catalogue="older"),
    )
    assert described(root) != before
    store = stores.open("one")
    assert names(store, names=["odd"]) == 2
    assert names(store, propertyFilters=["\x1fa\x1eb\x1f"]) == 5
    assert described(root) == before


def change(root: Path, *statements: sa.Executable) -> None:
    engine = sa.create_engine(f"sqlite:///{root}/one/farm.db")
    with engine.begin() as connection:
        for statement in statements:
            connection.execute(statement)
    engine.dispose()


def described(root: Path) -> dict[str, tuple[set[str], set[str | None]]]:
    """Columns and indexes by table."""
    engine = sa.create_engine(f"sqlite:///{root}/one/farm.db")
    found = sa.inspect(engine)
    tables = {
        table: (
            {column["name"] for column in found.get_columns(table)},
            {index["name"] for index in found.get_indexes(table)},
        )
        for table in found.get_table_names()
    }
    engine.dispose()
    return tables


WRITER = """
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
sys.path.insert(0, sys.argv[2])
from headland.farm.stores import Stores
from test_stores import put

store = Stores(Path(sys.argv[1])).open("one")

def say(number):
    put(store, f"p{number:06}")
    print(f"{number}\\n", end="", flush=True)

with ThreadPoolExecutor(20) as threads:
    list(threads.map(say, range(1_000_000)))
"""


def test_nothing_acknowledged_is_lost_when_a_writer_is_killed(stores: Stores, root: Path) -> None:
    stores.lay_out("one")
    command = [sys.executable, "-c", WRITER, str(root), str(Path(__file__).parent)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as writer:
        assert writer.stdout is not None
        said = [int(writer.stdout.readline()) for _ in range(150)]
        writer.kill()
        said += [int(line) for line in writer.stdout if line.endswith("\n")]
    store = stores.open("one")
    for number in said:
        key = Key("", f"p{number:06}")
        assert store.read(lambda c, key=key: rows.find(c, PARTIES.family, key)) is not None
