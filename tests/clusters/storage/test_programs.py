"""Spark's own ways to read and write, on a local account of a served Headland."""

import re
from pathlib import Path

import pytest
from tests.clusters.storage.conftest import HERE, ended, log_of, outcomes, submit
from tests.serving import Served, eventually

#: Their names, in order. To import them would start Spark.
PROGRAMS = re.findall(
    r"^    (\w+),$", (HERE / "programs.py").read_text().partition("PROGRAMS = (")[2], re.MULTILINE
)

pytestmark = [pytest.mark.spark, pytest.mark.timeout(900)]


@pytest.fixture(scope="module")
def told(served: Served) -> dict[str, dict[str, object]]:
    """What became of each program: they share an application."""
    folder = served.home / "storage" / "headland" / "default" / "programs"
    batch = submit(
        served,
        HERE / "programs.py",
        "wasbs://default@headland/programs/",
        str(folder),
        **{"spark.sql.warehouse.dir": "wasbs:///warehouse"},
    )
    assert ended(served, batch) == "success", log_of(served, batch)[-50:]
    return outcomes(log_of(served, batch))


@pytest.mark.parametrize("program", PROGRAMS)
def test_a_program(told: dict[str, dict[str, object]], program: str) -> None:
    assert told[program]["problem"] is None, told[program]["problem"]


#: Of them, those that a store may be at odds with; each costs a request for whatever it looks at.
REMOTE = (
    "parquet_both_ways",
    "partitions_are_overwritten",
    "a_stream_goes_on_from_its_checkpoint",
    "files_are_given_to_tasks",
    "names_of_every_kind",
    "globs",
    "file_contexts",
)


@pytest.fixture(scope="module", params=["azure", "bucket"])
def told_of_a_store(remote: Served, request: pytest.FixtureRequest) -> dict[str, dict[str, object]]:
    """The same through the storage service, with the identity that the job has there."""
    batch = submit(remote, HERE / "programs.py", f"abfss://programs@{request.param}/work/", "", "0", *REMOTE)
    assert ended(remote, batch) == "success", log_of(remote, batch)[-50:]
    return outcomes(log_of(remote, batch))


@pytest.mark.parametrize("program", REMOTE)
def test_a_program_on_a_store(told_of_a_store: dict[str, dict[str, object]], program: str) -> None:
    assert told_of_a_store[program]["problem"] is None, told_of_a_store[program]["problem"]


def test_nothing_is_left_of_what_was_being_written(
    served: Served, told: dict[str, dict[str, object]]
) -> None:
    assert told
    assert list((served.home / "storage" / "headland" / ".uploads").iterdir()) == []


def test_a_write_that_is_killed_is_never_taken_for_whole(served: Served, tmp_path: Path) -> None:
    """Two jobs write at once, one is killed in the middle of it: what is there is what the other has written."""
    goes, target = tmp_path / "goes", "wasbs:///killed/rows"
    killed = submit(served, HERE / "writer.py", target, str(goes))
    other = submit(served, HERE / "writer.py", target)
    eventually(goes.with_suffix(".reached").exists, "the one is in the middle of its write")
    assert ended(served, other) == "success", log_of(served, other)[-50:]
    folder = served.home / "storage" / "headland" / "default" / "killed" / "rows"
    listed = served.public.get("/storage/-/-", params={"prefix": "killed/", "limit": 1000}).json()["blobs"]
    whole = [file for file in folder.iterdir() if file.name.startswith("part-")]
    assert whole
    assert {blob["path"].rpartition("/")[2] for blob in listed if "_temporary" not in blob["path"]} == {
        file.name for file in folder.iterdir() if file.is_file()
    }
    served.private.delete(f"/batches/{killed}")
    eventually(lambda: served.private.get(f"/batches/{killed}").status_code == 404, "it is gone")
    assert [file for file in folder.iterdir() if file.name.startswith("part-")] == whole
    count = submit(served, HERE / "reader.py", target)
    assert ended(served, count) == "success"
    assert "rows 100000" in log_of(served, count)
