"""The file system for cluster storage, judged by Hadoop's contract tests."""

from pathlib import Path

import pytest
from tests.clusters.storage.contract import HERE, Outcome, run_contract
from tests.clusters.storage.identity import identity_of
from tests.serving import Served

from headland.jobs.clusters.filesystem import storage_conf
from headland.settings import StorageSettings
from headland.storage import Storage

pytestmark = pytest.mark.timeout(600)


def hadoop_conf(storage: Storage, url: str = "https://localhost:1", ca: Path | None = None) -> dict[str, str]:
    return {key.removeprefix("spark.hadoop."): value for key, value in storage_conf(storage, url, ca).items()}


def test_an_account_that_is_a_folder_keeps_the_contract(tmp_path: Path) -> None:
    storage = Storage(StorageSettings(), tmp_path / "storage")
    storage.prepare()
    outcome = run_contract(
        tmp_path, "wasbs://default@headland/contract", HERE / "folder.xml", hadoop_conf(storage)
    )
    assert outcome.failed == {}
    # A file is to be seen when it is closed, so two tests have nothing to look at; one is of its own making.
    assert len(outcome.skipped) <= 3, outcome.skipped
    assert len(outcome.passed) >= 160
    assert list(Path(tmp_path, "storage", "headland", ".uploads").iterdir()) == [], "nothing is left behind"


@pytest.mark.parametrize("account", [pytest.param("headland", marks=pytest.mark.long), "azure", "bucket"])
def test_what_is_reached_through_the_service_keeps_the_contract(
    remote: Served, tmp_path: Path, account: str
) -> None:
    """A folder, too, as executors on other machines see it."""
    outcome = through_the_service(remote, tmp_path, f"abfss://contract@{account}/tests")
    assert outcome.failed == {}
    assert len(outcome.passed) >= 150
    left = remote.home / "storage" / ".uploads"
    assert not left.exists() or list(left.iterdir()) == [], "nothing is left behind"


def through_the_service(served: Served, folder: Path, url: str) -> Outcome:
    conf = hadoop_conf(Storage(StorageSettings(), folder / "storage"), served.url, served.ca)
    conf["fs.headland.machine"] = "another"
    with identity_of(served) as environment:
        return run_contract(folder, url, HERE / "object_store.xml", conf, environment)
