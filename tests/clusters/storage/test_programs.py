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
def told(served: Served, soil: Path) -> dict[str, dict[str, object]]:
    """What became of each program: they share an application."""
    folder = served.home / "storage" / "headland" / "default" / "programs"
    folder.with_name("events").mkdir()
    served.put(soil, "programs/soil.jar")
    batch = submit(
        served,
        HERE / "programs.py",
        "wasbs://default@headland/programs/",
        str(folder),
        "200",
        **{
            "spark.app.name": "all of them",
            "spark.sql.warehouse.dir": "wasbs:///warehouse",
            "spark.eventLog.dir": "wasbs:///events",
        },
    )
    assert ended(served, batch) == "success", log_of(served, batch)[-50:]
    return outcomes(log_of(served, batch))


@pytest.mark.long
def test_ten_thousand_small_files(served: Served) -> None:
    batch = submit(served, HERE / "programs.py", "wasbs:///many/", "", "10000", "many_small_files")
    assert ended(served, batch) == "success", log_of(served, batch)[-50:]
    assert [each["problem"] for each in outcomes(log_of(served, batch)).values()] == [None]


@pytest.mark.parametrize("program", PROGRAMS)
def test_a_program(told: dict[str, dict[str, object]], program: str) -> None:
    assert told[program]["problem"] is None, told[program]["problem"]


#: s3rver takes the source of a copy for another name where it has one of `:=$` in it.
NOT_S3RVERS = {"partitions_are_overwritten", "names_of_every_kind"}

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


@pytest.mark.parametrize("account", ["azure", pytest.param("bucket", marks=pytest.mark.long)])
def test_programs_on_a_store(remote: Served, account: str) -> None:
    """The same through the storage service, with the identity that the job has there."""
    programs = [name for name in REMOTE if account == "azure" or name not in NOT_S3RVERS]
    batch = submit(remote, HERE / "programs.py", f"abfss://programs@{account}/work/", "", "0", *programs)
    assert ended(remote, batch) == "success", log_of(remote, batch)[-50:]
    told = outcomes(log_of(remote, batch))
    assert {name: told[name]["problem"] for name in programs} == dict.fromkeys(programs)


def test_event_logs_are_history(served: Served, told: dict[str, dict[str, object]]) -> None:
    assert told
    read = submit(served, HERE / "history.py", "wasbs:///events")
    assert ended(served, read) == "success", log_of(served, read)[-50:]
    assert "history has ['all of them']" in log_of(served, read)


def test_nothing_is_left_of_what_was_being_written(
    served: Served, told: dict[str, dict[str, object]]
) -> None:
    assert told
    assert list((served.home / "storage" / "headland" / ".uploads").iterdir()) == []


def test_a_write_that_is_killed_is_never_taken_for_whole(served: Served, tmp_path: Path) -> None:
    """Two jobs write at once, and one is killed in the middle of it."""
    goes, default = tmp_path / "goes", served.home / "storage" / "headland" / "default"
    killed = submit(served, HERE / "writer.py", "wasbs:///killed/rows", str(goes))
    other = submit(served, HERE / "writer.py", "wasbs:///whole/rows")
    eventually(goes.with_suffix(".reached").exists, "the one is in the middle of its write")
    assert ended(served, other) == "success", log_of(served, other)[-50:]
    served.private.delete(f"/batches/{killed}")
    eventually(lambda: served.private.get(f"/batches/{killed}").status_code == 404, "it is gone")
    assert {entry.name for entry in (default / "killed" / "rows").iterdir()} <= {"_temporary"}
    with served.client(served.token(f"{served.url}/.default")) as own:
        listed = own.get("/storage/-/-", params={"prefix": "killed/", "limit": 1000}).json()["blobs"]
    assert all("/_temporary/" in blob["path"] for blob in listed), listed
    assert (default / "whole" / "rows" / "_SUCCESS").exists()
    count = submit(served, HERE / "reader.py", "wasbs:///whole/rows")
    assert ended(served, count) == "success"
    assert "rows 100000" in log_of(served, count)


def test_a_service_that_is_killed_meanwhile_is_waited_for(remote: Served, tmp_path: Path) -> None:
    """While jobs have files in two stores half read and half written."""
    batches = {}
    for account in ("azure", "bucket"):
        folder = tmp_path / account
        folder.mkdir()
        url = f"abfss://programs@{account}/away"
        batches[folder] = submit(remote, HERE / "copy_rows.py", url, str(folder))
    for folder in batches:
        eventually((folder / "reached").exists, f"the job is in the middle: {folder.name}", 300)
    remote.kill()
    for folder in batches:
        (folder / "goes").touch()
    remote.cut_off(8)
    remote.start()
    for batch in batches.values():
        assert ended(remote, batch) == "success", log_of(remote, batch)[-50:]
        lines = log_of(remote, batch)
        assert "listed True" in lines
        assert "copied 30000 True" in lines


def test_a_service_of_another_authority_is_not_waited_for(remote: Served, served: Served) -> None:
    conf = {"spark.hadoop.fs.headland.service": f"{served.url}/storage"}
    batch = submit(remote, HERE / "reader.py", "abfss://programs@azure/rows", **conf)
    assert ended(remote, batch) == "dead"
    log = "\n".join(log_of(remote, batch))
    assert "PKIX path" in log
    assert "has not answered" not in log
