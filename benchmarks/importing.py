"""An import of boundaries, beside the insertion of the very rows that come of it."""

import asyncio
import json
import sqlite3
import time
from collections.abc import AsyncIterator
from contextlib import closing
from pathlib import Path
from typing import NoReturn

from benchmarks.fields import lines
from benchmarks.harness import Aim, BenchmarkError, Row, Yardstick, row
from benchmarks.instances import PARTY, Instance
from benchmarks.processes import cpu_seconds, megabytes
from benchmarks.serving import Served
from headland.farm.bulk.exporting import records
from headland.farm.bulk.importing import CHUNK_LINES, Import
from headland.farm.bulk.lines import LineReader
from headland.farm.bulk.prepared import Mode
from headland.farm.bulk.preparing import Preparing
from headland.farm.bulk.wire import Event, Finished
from headland.farm.documents.stamps import Stamp
from headland.farm.stores import Store
from headland.farm.stores.files import FileShelf
from headland.farm.versions import Version

#: Lines of one request.
PART = 50_000
_CHUNK = 1 << 20
_COLUMNS = "SELECT name FROM pragma_table_info('boundaries')"


def with_party(served: Served, instance: Instance) -> None:
    """The party that the boundaries are of."""
    with served.client(headers=instance.headers) as client:
        patch = {"content-type": "application/merge-patch+json"}
        client.patch(instance.below(f"/parties/{PARTY}"), json={}, headers=patch).raise_for_status()


def bring_boundaries(served: Served, instance: Instance, first: int, last: int) -> list[float]:
    """Import boundaries in several requests; the memory of the service after each.

    Raises:
        BenchmarkError: a line was refused.
    """
    memory = []
    with served.client(headers=instance.headers) as client:
        for start in range(first, last, PART):
            answer = client.post(
                instance.below("/bulk/boundaries", "mode=create"),
                # In one piece, as the command line sends them: each line by itself would be a frame of its own.
                content=b"".join(lines(PARTY, start, min(start + PART, last))),
                headers={"content-type": "application/x-ndjson"},
            )
            told = json.loads(answer.raise_for_status().text.splitlines()[-1])
            if told["event"] != "finished" or told["refused"]:
                raise BenchmarkError(f"not all boundaries were taken: {answer.text[:400]}")
            memory.append(megabytes(served.pid))
    return memory


def database_of(served: Served) -> Path:
    """The file of the only instance's store."""
    (found,) = served.home.glob("farm/*/farm.db")
    return found


def import_boundaries(served: Served, instance: Instance, count: int, within: Path) -> list[Row]:
    """The first so many boundaries of an instance."""
    before = cpu_seconds(served.pid)
    memory = bring_boundaries(served, instance, 0, count)
    ours = count / (cpu_seconds(served.pid) - before)
    bare = _inserted(database_of(served), within / "bare")
    name = f"import {count:,} boundaries"
    after = Yardstick(f"memory after {PART:,}", memory[0])
    return [
        row(name, "rows/s a core", ours, Yardstick("the same rows into a bare store", bare), Aim(least=0.4)),
        row(f"{name}, memory at the end", "MB", memory[-1], after, Aim(most=1.1)),
        restored_boundaries(within / "restored", min(count, PART)),
    ]


def restored_boundaries(within: Path, count: int) -> Row:
    """Processor time that exported lines take to come back, beside that of the plain lines that they are of."""
    shelf = FileShelf(within)
    plain = b"".join(lines(PARTY, 0, count))
    party = b'{"family":"parties","document":{"id":"%b"}}\n' % PARTY.encode()

    def brought(mode: Mode, family: str | None, body: bytes) -> tuple[float, bytes]:
        """Seconds, and what is taken out again."""
        key = mode.value
        shelf.lay_out(key)
        store = Store.open(shelf, key)
        asyncio.run(_take(store, mode, None, party))
        began = time.process_time()
        told = asyncio.run(_take(store, mode, family, body))
        took = time.process_time() - began
        if not isinstance(told, Finished) or told.refused or told.lines < count:
            raise BenchmarkError(f"not all boundaries were taken: {told}")
        with store.snapshot() as connection:
            taken = b"".join(records(connection))
        store.close()
        return took, taken

    plainly, exported = brought(Mode.MERGE, "boundaries", plain)
    restored, again = brought(Mode.RESTORE, None, exported)
    if again != exported:
        raise BenchmarkError("what came back is not what was taken out")
    beside = Yardstick("the same as plain lines", plainly)
    return row(f"bring back {count:,} exported boundaries", "s", restored, beside, Aim(most=1.3))


async def _take(store: Store, mode: Mode, family: str | None, body: bytes) -> Event | None:
    """The last that is told of an import."""

    async def chunks() -> AsyncIterator[bytes]:
        for start in range(0, len(body), _CHUNK):
            yield body[start : start + _CHUNK]

    async def takes_long(_what: object, field: str) -> NoReturn:
        raise BenchmarkError(f"{field} takes long")

    preparing = Preparing(Version.C, family, mode, _CHUNK, measure=takes_long)
    taking = Import(
        store,
        preparing,
        mode,
        LineReader(_CHUNK),
        lambda: Stamp(int(time.time()), "benchmark"),
        ask=takes_long,
    )
    told = None
    async for event in taking.run(chunks()):
        told = event
    return told


def _inserted(database: Path, root: Path) -> float:
    """Rows a second of processor time that SQLite takes into a store with the same indexes, the R*Tree among them."""
    FileShelf(root).lay_out("bare")
    (target,) = root.glob("*/farm.db")
    taken, count = 0.0, 0
    with (
        closing(sqlite3.connect(f"file:{database}?mode=ro", uri=True)) as source,
        closing(sqlite3.connect(target, isolation_level=None)) as connection,
    ):
        columns = [name for (name,) in source.execute(_COLUMNS)]
        insert = f"INSERT INTO boundaries VALUES ({', '.join('?' * len(columns))})"  # noqa: S608 - question marks
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = FULL")
        rows = source.execute(f"SELECT {', '.join(columns)} FROM boundaries")  # noqa: S608 - names of ours
        while chunk := rows.fetchmany(CHUNK_LINES):
            began = time.process_time()
            connection.execute("BEGIN IMMEDIATE")
            connection.executemany(insert, chunk)
            connection.execute("COMMIT")
            taken += time.process_time() - began
            count += len(chunk)
    return count / taken
