"""A Headland whose batches work on cluster storage."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest
from tests.clients.storage.conftest import (  # noqa: F401 - fixtures
    AzureRest,
    azure_settings,
    azurite,
    s3_folder,
    s3_settings,
    s3rver,
)
from tests.serving import FINAL, Served, eventually

HERE = Path(__file__).parent


@pytest.fixture(scope="package")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    running = Served(
        tmp_path_factory.mktemp("storage") / "home",
        jobs_local_folders=str(HERE),
        jobs_max_running="3",
    )
    try:
        running.start()
        yield running
    finally:
        running.close()


@pytest.fixture(scope="package")
def remote(azurite: str, s3rver: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:  # noqa: F811
    """One with accounts in Azurite and s3rver."""
    accounts = {"azure": azure_settings(azurite), "bucket": s3_settings(s3rver)}
    running = Served(
        tmp_path_factory.mktemp("remote") / "home",
        storage_accounts=json.dumps(msgspec.to_builtins(accounts)),
        jobs_local_folders=str(HERE),
    )
    try:
        running.start()
        for container in ("contract", "programs"):
            AzureRest(azurite)("PUT", container, "restype=container")
        yield running
    finally:
        running.close()


def submit(served: Served, program: Path, *arguments: str, **conf: str) -> int:
    """Start a Python program; the batch's id."""
    request = {"file": str(program), "args": arguments, "conf": {"spark.sql.shuffle.partitions": "4", **conf}}
    answer = served.private.post("/batches", json=request)
    assert answer.status_code == 201, answer.text
    return int(answer.json()["id"])


def ended(served: Served, batch: int) -> str:
    """A batch's final state."""
    return str(eventually(lambda: _final(served, batch), f"batch {batch} ends", 600))


def log_of(served: Served, batch: int) -> list[str]:
    return list(served.private.get(f"/batches/{batch}/log", params={"from": 0, "size": 20_000}).json()["log"])


def outcomes(log: list[str]) -> dict[str, dict[str, Any]]:
    """What became of the programs of `programs.py`, by name."""
    told = [json.loads(line.removeprefix("outcome ")) for line in log if line.startswith("outcome ")]
    return {each["program"]: each for each in told}


def _final(served: Served, batch: int) -> str | None:
    state = served.private.get(f"/batches/{batch}/state").json()["state"]
    return state if state in FINAL else None
