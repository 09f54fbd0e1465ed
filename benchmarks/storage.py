"""Spark on cluster storage: a local account beside `file:///`, and a remote one beside obstore."""

import asyncio
import json
import os
import re
import shutil
import subprocess
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from pathlib import Path

import obstore
from obstore.store import AzureStore
from tests.clients.storage.conftest import ACCOUNT, KEY, AzureRest

from benchmarks.harness import Aim, Benchmark, BenchmarkError, Row, SkippedError, Yardstick, interleaved, row
from benchmarks.loading import Target, ask
from benchmarks.serving import REPOSITORY, Served, folder, headland
from benchmarks.spark import await_

ROUNDS = 3
PATIENCE = 1200.0

#: Of Parquet on the local account; a quarter of it is the remote blob.
MEGABYTES = int(os.environ.get("BENCH_STORAGE_MB", "1024"))
FILES = int(os.environ.get("BENCH_STORAGE_FILES", "10000"))
PROGRAM = Path(__file__).with_name("storage_program.py")
AZURITE = REPOSITORY / "tests/clients/storage/node_modules/.bin/azurite-blob"
CONTAINER = "spark"

LIKE_FILES, LIKE_THE_STORE, LISTED = Aim(least=0.9), Aim(least=0.7), Aim(most=2.0)


def run_storage() -> list[Row]:
    """The same Parquet, of doubles that don't compress, and as many empty files; the remote account by the service."""
    with folder() as within, _azurite(within) as address:
        store = _store(address)
        size = MEGABYTES * 1_000_000 // 4
        asyncio.run(_fill(store, size))
        accounts = {"azure": {"url": f"az://{ACCOUNT}", "options": _options(address)}}
        bare = within / "bare"
        bare.mkdir()
        with headland(
            within,
            storage_accounts=json.dumps(accounts),
            jobs_driver_memory="2g",
            jobs_writable_folders=str(bare),
        ) as served:
            await_(lambda: any((served.home / "cache").glob("companion-*.jar")), "companion", 180)
            spark = _measured(served, "wasbs:///ours", bare.as_uri(), f"wasbs://{CONTAINER}@azure/files")
            # With the service beside it, as the other has.
            read, listed = interleaved(ROUNDS, lambda: _read(store, size), lambda: _list(store))
    files = partial(_row, spark, beside="file:///")
    return [
        files("write", "write of Parquet, local account", megabytes=MEGABYTES, aim=LIKE_FILES),
        files("scan", "scan of Parquet, local account", megabytes=MEGABYTES, aim=LIKE_FILES),
        files("list", f"list of {FILES:,} files, local account", aim=LISTED),
        _row(
            {**spark, "read, bare": read},
            "read",
            "read of a blob in Azurite",
            megabytes=size / 1e6,
            aim=LIKE_THE_STORE,
        ),
        _row(
            {**spark, "listing, bare": listed}, "listing", f"list of {FILES:,} blobs in Azurite", aim=LISTED
        ),
    ]


def _row(
    taken: Mapping[str, float],
    what: str,
    name: str,
    *,
    aim: Aim,
    beside: str = "obstore",
    megabytes: float | None = None,
) -> Row:
    """Seconds, or where `megabytes` are moved a speed."""
    ours, bare = taken[what], taken[f"{what}, bare"]
    if megabytes is None:
        return row(name, "s", ours, Yardstick(beside, bare), aim)
    return row(
        f"{name}, {megabytes:,.0f} MB", "MB/s", megabytes / ours, Yardstick(beside, megabytes / bare), aim
    )


def _measured(served: Served, ours: str, bare: str, blob: str) -> dict[str, float]:
    """What the program says."""
    file = served.put(PROGRAM.read_bytes(), "programs/storage.py")
    headers = {"Authorization": f"Bearer {served.token()}", "Content-Type": "application/json"}
    body = json.dumps({"file": file, "args": [ours, bare, str(MEGABYTES), str(FILES), blob]}).encode()
    batch = json.loads(ask(Target(served.private_port, "POST", "/batches", headers, body, status=201)))["id"]
    state = Target(served.private_port, "GET", f"/batches/{batch}/state", headers)
    began = time.monotonic()
    while (found := json.loads(ask(state))["state"]) not in {"success", "dead", "killed"}:
        if time.monotonic() - began > PATIENCE:
            raise BenchmarkError(f"the program is {found} after {PATIENCE:.0f} s")
        time.sleep(0.5)
    with served.client(headers=headers) as client:
        lines = client.get(f"/livy/batches/{batch}/log", params={"from": 0, "size": -1}).json()["log"]
    for line in lines:
        if line.startswith("measured "):
            return dict(json.loads(line.removeprefix("measured ")))
    raise BenchmarkError(f"the program ended {found}: {' '.join(lines[-20:])}")


async def _fill(store: AzureStore, size: int) -> None:
    await obstore.put_async(store, "files/large", os.urandom(size))
    at_once = asyncio.Semaphore(32)

    async def put(number: int) -> None:
        async with at_once:
            await obstore.put_async(store, f"files/many/{number:05}", b"")

    await asyncio.gather(*(put(number) for number in range(FILES)))


def _read(store: AzureStore, size: int) -> float:
    began = time.perf_counter()
    read = sum(len(chunk) for chunk in obstore.get(store, "files/large").stream(1 << 20))
    if read != size:
        raise BenchmarkError(f"obstore read {read} of {size} bytes")
    return time.perf_counter() - began


def _list(store: AzureStore) -> float:
    began = time.perf_counter()
    found = len(obstore.list_with_delimiter(store, "files/many")["objects"])
    if found != FILES:
        raise BenchmarkError(f"obstore listed {found} of {FILES} blobs")
    return time.perf_counter() - began


def _options(address: str) -> dict[str, str]:
    return {"account_key": KEY, "endpoint": f"{address}/{ACCOUNT}", "allow_http": "true"}


def _store(address: str) -> AzureStore:
    return AzureStore(CONTAINER, account_name=ACCOUNT, config=_options(address))  # type: ignore[arg-type]


@contextmanager
def _azurite(within: Path) -> Iterator[str]:
    """Its address, with an empty container.

    Raises:
        SkippedError: it is not there.
    """
    if not AZURITE.exists() or shutil.which("node") is None:
        raise SkippedError("Azurite is not installed: run `npm ci --ignore-scripts` in tests/clients/storage")
    options = ["--location", str(within / "azurite"), "--blobPort", "0", "--silent", "--disableTelemetry"]
    process = subprocess.Popen(
        [AZURITE, *options], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )
    try:
        for line in process.stdout or ():
            if found := re.search(r"successfully listens on (http://\S+)", line):
                AzureRest(found[1])("PUT", CONTAINER, "restype=container")
                yield found[1]
                return
        raise BenchmarkError("Azurite did not start")
    finally:
        process.terminate()
        process.communicate(timeout=20)


BENCHMARKS = (Benchmark("storage", "Spark on cluster storage, beside file:/// and obstore", run_storage),)
