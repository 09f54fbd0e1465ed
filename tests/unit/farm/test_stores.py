"""Instances' stores: how they come and go, and what is in them."""

import asyncio
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path

import pytest
import sqlalchemy as sa
from tests.databases import ON_SQLITE

from headland.database import DatabaseUnavailableError
from headland.farm.catalogue import FAMILIES
from headland.farm.catalogue.shape import shape_of
from headland.farm.documents import documents, pages, rows
from headland.farm.documents.conditions import Conditions
from headland.farm.documents.making import patch_of
from headland.farm.documents.rows import Key
from headland.farm.documents.stamps import Stamp
from headland.farm.documents.tables import metadata, store_table
from headland.farm.stores import (
    NewerStoreError,
    SchemaShelf,
    Shelf,
    Store,
    StoreKeyError,
    Stores,
    files,
    schema,
)
from headland.farm.versions import Version

PARTIES = shape_of(FAMILIES[0], Version.C)


#: SQLAlchemy does not know what PostGIS adds to a table.
ODD_TYPE = pytest.mark.filterwarnings("ignore:Did not recognize type 'geometry'")

Inside = Callable[[str], AbstractContextManager[sa.Connection]]


def put(store: Store, party: str, **body: object) -> None:
    key, stamp = Key("", party), Stamp(1_800_000_000, "me")
    store.write_and_wait(
        lambda connection: documents.write(
            connection, PARTIES, key, patch_of(PARTIES, body), stamp=stamp, conditions=Conditions()
        )
    )


def names(store: Store, **asked: list[object]) -> int:
    return len(store.read(lambda c: pages.page(c, pages.Listing(PARTIES.family, None, asked, 0, 99)).rows))


def test_a_store_is_laid_out_once(stores: Stores) -> None:
    stores.lay_out("one")
    secret = stores.open("one").secret
    put(stores.open("one"), "p1")
    stores.lay_out("one")
    stores.close()
    assert names(stores.open("one")) == 1
    assert stores.open("one").secret == secret


@ON_SQLITE
def test_folders_are_their_owners_alone(stores: Stores, root: Path) -> None:
    stores.lay_out("one")
    assert root.stat().st_mode & 0o777 == 0o700
    assert (root / "one").stat().st_mode & 0o777 == 0o700


def test_stores_have_nothing_in_common(stores: Stores) -> None:
    for key in ("one", "two"):
        stores.lay_out(key)
    put(stores.open("one"), "p1")
    assert names(stores.open("two")) == 0
    assert stores.open("one").secret != stores.open("two").secret


def test_a_removed_store_is_gone(stores: Stores, shelf: Shelf, root: Path) -> None:
    stores.lay_out("one")
    put(stores.open("one"), "p1")
    assert stores.has("one")
    stores.remove("one")
    stores.remove("one")
    assert not stores.has("one")
    assert isinstance(shelf, SchemaShelf) or list(root.iterdir()) == []
    with pytest.raises(DatabaseUnavailableError):
        stores.open("one")
    stores.lay_out("one")
    assert names(stores.open("one")) == 0


@pytest.mark.parametrize("key", ["", ".", "..", "../one", "a/b", "/etc", ".one.going", "a\0b", "x" * 101])
def test_keys_that_lead_elsewhere(stores: Stores, key: str) -> None:
    for do in (stores.lay_out, stores.remove, stores.open):
        with pytest.raises(StoreKeyError):
            do(key)


@ON_SQLITE
@pytest.mark.parametrize("step", ["upgrade", "_flush", "rename"])
def test_a_making_that_was_cut_short(
    stores: Stores, root: Path, monkeypatch: pytest.MonkeyPatch, step: str
) -> None:
    def cut(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(*((Path, step) if step == "rename" else (files, step)), cut)
        with pytest.raises(KeyboardInterrupt):
            stores.lay_out("one")
    with pytest.raises(DatabaseUnavailableError):
        stores.open("one")
    stores.lay_out("one")
    assert names(stores.open("one")) == 0
    assert [path.name for path in root.iterdir()] == ["one"]


@ON_SQLITE
def test_a_removal_that_was_cut_short(stores: Stores, root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    stores.lay_out("one")
    put(stores.open("one"), "p1")

    def cut(path: Path) -> None:
        (path / "farm.db").unlink()
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(files.shutil, "rmtree", cut)
        with pytest.raises(KeyboardInterrupt):
            stores.remove("one")
    with pytest.raises(DatabaseUnavailableError):
        stores.open("one")
    stores.remove("one")
    assert list(root.iterdir()) == []


@ON_SQLITE
def test_an_unfinished_making_goes_with_its_store(stores: Stores, root: Path) -> None:
    stores.lay_out("one")
    (root / ".one.making").mkdir()
    stores.remove("one")
    assert list(root.iterdir()) == []


def test_few_stay_open(shelf: Shelf) -> None:
    stores = Stores(shelf, most_open=2)
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
async def test_a_store_that_is_written_to_stays_open(shelf: Shelf) -> None:
    stores = Stores(shelf, most_open=1)
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


def test_a_store_of_a_later_headland(stores: Stores, inside: Inside) -> None:
    stores.lay_out("one")
    with inside("one") as connection:
        connection.execute(sa.text("UPDATE alembic_version SET version_num = 'later'"))
    for do in (stores.open, stores.lay_out):
        with pytest.raises(NewerStoreError, match="later"):
            do("one")


def test_head_is_the_newest_migration() -> None:
    newest = max(file.name.split("_")[0] for file in (schema.MIGRATIONS / "versions").glob("[0-9]*.py"))
    assert newest == schema.HEAD


@ODD_TYPE
def test_tables_are_what_is_declared(stores: Stores, inside: Inside) -> None:
    from alembic.autogenerate import compare_metadata
    from alembic.migration import MigrationContext

    stores.lay_out("one")
    with inside("one") as connection:
        found = compare_metadata(MigrationContext.configure(connection), metadata)
    # What places are found by is the store's own affair, and the commits the schema's.
    own = ("_places", "outline", "commits", "spatial_ref_sys")
    assert [change for change in found if not any(name in str(change) for name in own)] == []


@ODD_TYPE
def test_a_store_from_before_alembic_kept_its_revision(stores: Stores, inside: Inside) -> None:
    stores.lay_out("one")
    put(stores.open("one"), "p1")
    secret = stores.open("one").secret
    stores.close()
    with inside("one") as connection:
        connection.execute(sa.text("ALTER TABLE store ADD COLUMN version INTEGER NOT NULL DEFAULT 1"))
        for table in ("alembic_version", "going", "cascades"):
            connection.execute(sa.text(f"DROP TABLE {table}"))
    store = stores.open("one")
    assert (names(store), store.secret) == (1, secret)
    with inside("one") as connection:
        assert schema.is_current(connection)
        assert sa.inspect(connection).has_table("going")


@ODD_TYPE
def test_an_older_store_gets_what_the_catalogue_has_gained(
    stores: Stores, inside: Inside, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(schema, "_AT_ONCE", 2)
    stores.lay_out("one")
    for number in range(5):
        put(stores.open("one"), f"p{number}", name="odd" if number % 2 else "even", properties={"a": "b"})
    stores.close()
    before = described(inside)
    # As it was before names and properties could be filtered on, and before there were crops.
    with inside("one") as connection:
        for change in (
            sa.text("DROP INDEX ix_parties_name"),
            sa.text("ALTER TABLE parties DROP COLUMN name"),
            sa.text("ALTER TABLE parties DROP COLUMN properties"),
            sa.text("DROP TABLE crops"),
            sa.update(store_table).values(catalogue="older"),
        ):
            connection.execute(change)
    assert described(inside) != before
    store = stores.open("one")
    assert names(store, names=["odd"]) == 2
    assert names(store, propertyFilters=["\x1fa\x1eb\x1f"]) == 5
    assert described(inside) == before


@pytest.fixture
def inside(shelf: Shelf, root: Path) -> Inside:
    """A transaction on a store's database, past all rules."""

    @contextmanager
    def file(key: str) -> Iterator[sa.Connection]:
        engine = sa.create_engine(f"sqlite:///{root}/{key}/farm.db")
        with engine.begin() as connection:
            yield connection
        engine.dispose()

    return (lambda key: shelf._server.laying_out(f"farm_{key}")) if isinstance(shelf, SchemaShelf) else file


def described(inside: Inside) -> dict[str, tuple[set[str], set[str | None]]]:
    """Columns and indexes by table."""
    with inside("one") as connection:
        found = sa.inspect(connection)
        schema = None if connection.dialect.name == "sqlite" else "farm_one"
        return {
            table: (
                {column["name"] for column in found.get_columns(table)},
                {index["name"] for index in found.get_indexes(table)},
            )
            for table in found.get_table_names(schema)
        }


WRITER = """
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
sys.path.insert(0, sys.argv[2])
from headland.farm.stores import Stores
from test_stores import put
from tests.databases import shelf_at

with shelf_at(sys.argv[3], Path(sys.argv[1])) as shelf:
    store = Stores(shelf).open("one")

    def say(number):
        put(store, f"p{number:06}")
        print(f"{number}\\n", end="", flush=True)

    with ThreadPoolExecutor(20) as threads:
        list(threads.map(say, range(1_000_000)))
"""


def test_nothing_acknowledged_is_lost_when_a_writer_is_killed(stores: Stores, root: Path, url: str) -> None:
    stores.lay_out("one")
    command = [sys.executable, "-c", WRITER, str(root), str(Path(__file__).parent), url]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as writer:
        assert writer.stdout is not None
        said = [int(writer.stdout.readline()) for _ in range(150)]
        writer.kill()
        said += [int(line) for line in writer.stdout if line.endswith("\n")]
    store = stores.open("one")
    for number in said:
        key = Key("", f"p{number:06}")
        assert store.read(lambda c, key=key: rows.find(c, PARTIES.family, key)) is not None


def test_a_store_that_a_request_is_about_to_use_stays_open(shelf: Shelf) -> None:
    stores = Stores(shelf, most_open=1)
    for key in ("one", "two"):
        stores.lay_out(key)
    one = stores.open("one")
    with one.busy():
        stores.open("two")
        put(one, "p1")
    assert names(one) == 1
    stores.close()
