"""Database or storage out of reach: 503, nothing done, and all well again afterwards."""

import sqlite3

import pytest

from headland.settings import AccountSettings, StorageSettings

pytestmark = pytest.mark.anyio

BODY = {"file": "wasbs:///app.jar", "className": "demo.App"}


async def test_a_locked_database_takes_no_writes_and_still_answers_reads(make_service, check_error):
    service = await make_service(busy_timeout=0.05)
    await service.submit()
    other = sqlite3.connect(service.home.database, isolation_level=None)
    try:
        other.execute("BEGIN IMMEDIATE")
        for answer in (
            await service.post(json=BODY),
            await service.delete("/batches/0"),
            await service.post("/batches/0/kill"),
        ):
            check_error(answer, 503, "The database can't be reached now: database is locked")
            assert answer.headers["retry-after"] == "1"
        assert (await service.get("/batches/0")).status_code == 200
        assert (await service.get("/batches")).json()["total"] == 1
        other.execute("ROLLBACK")
    finally:
        other.close()
    assert not service.row(0).unwanted
    assert (await service.submit())["id"] == 1


async def test_storage_out_of_reach(make_service, check_error, tmp_path):
    accounts = {"lake": AccountSettings(url=f"file://{tmp_path}/unmounted")}
    (tmp_path / "unmounted").mkdir()
    service = await make_service(storage=StorageSettings(accounts=accounts))
    (tmp_path / "unmounted").rmdir()
    body = {**BODY, "file": "wasbs://jobs@lake/app.jar"}
    check_error(
        await service.post(json=body), 503, "Storage account 'lake' is not available: its folder is missing"
    )
    assert service.is_untouched()
    (tmp_path / "unmounted" / "jobs").mkdir(parents=True)
    (tmp_path / "unmounted" / "jobs" / "app.jar").write_bytes(b"zip")
    assert (await service.post(json=body)).status_code == 201
