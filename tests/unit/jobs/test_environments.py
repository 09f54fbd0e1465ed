"""Environments without a service: requirements files, contents, and the Python that a job gets."""

import io
import itertools
import os
import re
import stat
import subprocess
import tarfile
import threading
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path

import msgspec
import pytest
from tests.serving import eventually
from tests.wheels import make_wheel, slow_index

from headland.database import Database
from headland.jobs.batches.submission import SHELL, Submission
from headland.jobs.clusters.cluster import ClusterError, Clusters
from headland.jobs.clusters.java import Toolchain
from headland.jobs.environments import store
from headland.jobs.environments.builder import EnvironmentBuilder
from headland.jobs.environments.content import Contents
from headland.jobs.environments.requirements import MOST, Requirements, RequirementsError, content_digest
from headland.jobs.environments.store import EnvironmentRow
from headland.jobs.environments.wire import Package
from headland.jobs.runner.run_directory import RunDirectory
from headland.settings import Home, JobsSettings

HASH = "--hash=sha256:" + "0" * 64
TOOLS = Toolchain(Path("/java/bin/java"), Path("/spark"))


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("a\n" * 130_000, "requirements name 130000 packages"),
        ("a" + ">=1," * 60_000, "240001 characters beside hashes"),
        ("b\na;" + "(" * 250_000, "requirements, line 2: 'a;((((("),
        ("a;" + "(" * 4_000, "is not a requirement"),
        ("\n".join(["a;" + " or ".join(["os_name=='a'"] * 15)] * 999), "when they are written out"),
    ],
)
def test_requirements_without_measure_are_refused(text: str, problem: str) -> None:
    with pytest.raises(RequirementsError) as refused:
        Requirements.parse(text)
    assert problem in str(refused.value)
    assert len(str(refused.value)) < 300


def test_requirements_are_names_versions_markers_and_hashes() -> None:
    text = (
        "# what agronomists use\n"
        "pandas >= 2.2 # tables\n"
        "\n"
        "scikit-learn[alldeps]==1.5 ; python_version >= '3.11'\n"
        f"numpy==2.1 \\\n    {HASH} \\\n    {HASH}\n"
    )
    requirements = Requirements.parse(text)
    assert requirements.lines == (
        "pandas>=2.2",
        'scikit-learn[alldeps]==1.5; python_version >= "3.11"',
        f"numpy==2.1 {HASH} {HASH}",
    )
    assert Requirements.parse(requirements.text) == requirements


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("", "name no package"),
        ("# nothing\n", "name no package"),
        ("-r /etc/passwd", "line 1: options such as '-r /etc/passwd'"),
        ("pandas\n--index-url https://evil.example/", "line 2: options"),
        ("--find-links=/etc", "line 1: options"),
        ("-e .", "line 1: options"),
        ("./local.whl", "line 1: './local.whl' is not a requirement"),
        ("/etc/passwd", "line 1: '/etc/passwd' is not a requirement"),
        ("pandas @ file:///etc/passwd", "line 1: 'pandas' comes from an address"),
        ("pandas @ git+https://example.org/pandas", "line 1: 'pandas' comes from an address"),
        ("https://example.org/pandas.whl", "line 1"),
        ("pandas==2.2 --hash=md5:00", "line 1: '--hash=md5:00' is not a hash"),
        ("pandas==2.2 --config-settings=x", "line 1"),
        ("\n\npan das", "line 3"),
        ("pandas \\\n  --editable", "line 1"),
        ("a\0b", "line 1"),
        ("\n".join(f"a{number}" for number in range(MOST + 1)), f"{MOST} are allowed"),
        ("a" * 300_000, "larger than 262144 bytes"),
    ],
)
def test_requirements_refuse_everything_else(text: str, told: str) -> None:
    with pytest.raises(RequirementsError, match=re.escape(told)):
        Requirements.parse(text)


def test_content_digest_differs_by_packages_and_minor_version() -> None:
    first = content_digest("pandas==2.2\n", "3.11.7")
    assert first == content_digest("pandas==2.2\n", "3.11.9")
    assert (
        len({first, content_digest("pandas==2.3\n", "3.11.7"), content_digest("pandas==2.2\n", "3.12.0")})
        == 3
    )


@pytest.fixture
def contents(tmp_path: Path) -> Contents:
    return Contents(tmp_path / "environments")


def _built(contents: Contents, digest: str = "a" * 32) -> Path:
    with contents.building() as folder:
        made = folder / "made"
        packages = made / "lib" / "python3.11" / "site-packages"
        (packages / "__pycache__").mkdir(parents=True)
        (packages / "soil.py").write_text("PH = 6.5\n")
        (packages / "__pycache__" / "soil.pyc").write_bytes(b"x")
        (made / "bin").mkdir()
        (made / "bin" / "python").symlink_to("/usr/bin/env")
        return contents.adopt(made, digest, [Package("soil", "1.0")]).path


def test_content_is_whole_or_not_there(contents: Contents) -> None:
    content = contents.content("a" * 32)
    assert content.describe() is None
    contents.path.mkdir()
    content.path.mkdir()
    (content.path / "left-over").touch()
    assert _built(contents) == content.path
    assert not (content.path / "left-over").exists()
    described = content.describe()
    assert described is not None
    assert (described.python, described.packages) == ("3.11", [Package("soil", "1.0")])
    assert [path.name for path in contents.path.iterdir()] == ["a" * 32]


def test_sweep_keeps_what_is_needed(contents: Contents) -> None:
    kept, gone = _built(contents), _built(contents, "b" * 32)
    (contents.path / ".building-dead").mkdir()
    assert stat.S_IMODE(contents.path.stat().st_mode) == 0o700
    assert contents.sweep({kept.name, ""}) == [gone.name]
    assert [path.name for path in contents.path.iterdir()] == [kept.name]
    assert Contents(contents.path / "nowhere").sweep(set()) == []


def test_archive_runs_the_machines_own_python_with_the_packages(contents: Contents, tmp_path: Path) -> None:
    content = contents.content(_built(contents).name)
    archive = content.archive()
    assert archive == content.archive()
    with tarfile.open(archive) as opened:
        names = opened.getnames()
        opened.extractall(tmp_path / "unpacked", filter="data")
    assert "packages/soil.py" in names
    assert not any("__pycache__" in name for name in names)
    machine = tmp_path / "machine"
    machine.mkdir()
    (machine / "python3.11").write_text('#!/bin/sh\necho "$PYTHONPATH" "$@"\n')
    (machine / "python3.11").chmod(0o755)
    said = subprocess.check_output(
        [tmp_path / "unpacked" / "bin" / "python", "-m", "pyspark.daemon"],
        env={"PATH": f"{machine}:{os.environ['PATH']}", "PYTHONPATH": "/spark.zip"},
        text=True,
    )
    assert said == f"/spark.zip:{tmp_path}/unpacked/packages -m pyspark.daemon\n"
    with pytest.raises(FileNotFoundError):
        contents.content("c" * 32).archive()


def _plan(contents: Contents, directory: Path, submission: Submission) -> tuple[dict[str, str], str]:
    clusters = Clusters(JobsSettings(), TOOLS, None, contents)
    launch = clusters.plan(submission, "batch-7", RunDirectory(directory))
    options = launch.arguments
    conf = dict(value.split("=", 1) for option, value in itertools.pairwise(options) if option == "--conf")
    archives = options[options.index("--archives") + 1] if "--archives" in options else ""
    return conf, archives


def test_a_job_gets_the_python_of_its_environment(contents: Contents, tmp_path: Path) -> None:
    content = contents.content(_built(contents).name)
    program = Submission(file="/app.py", environment=content.digest, master="local[2]")
    conf, archives = _plan(contents, tmp_path, program)
    assert conf["spark.pyspark.python"] == conf["spark.pyspark.driver.python"] == str(content.python)
    assert archives == ""
    remote = msgspec.structs.replace(program, master="spark://head:7077")
    conf, archives = _plan(contents, tmp_path, remote)
    assert conf["spark.pyspark.python"] == "./environment/bin/python"
    assert conf["spark.pyspark.driver.python"] == str(content.python)
    assert archives == f"{content.archive().as_uri()}#environment"
    gone = msgspec.structs.replace(program, environment="d" * 32)
    with pytest.raises(ClusterError, match="has been removed since it was submitted"):
        _plan(contents, tmp_path, gone)


def test_a_driver_that_stands_ready_fits_batches_of_any_environment(
    contents: Contents, tmp_path: Path
) -> None:
    content = contents.content(_built(contents).name)
    clusters, directory = Clusters(JobsSettings(), TOOLS, None, contents), RunDirectory(tmp_path)
    program = Submission(file="/app.py", master="local[2]")
    equipped = msgspec.structs.replace(program, environment=content.digest)
    assert clusters.machine(program, directory) == clusters.machine(equipped, directory)
    # A session's interpreter has begun before it is known what for.
    shell = msgspec.structs.replace(equipped, file=SHELL)
    machine = clusters.machine(shell, directory)
    assert machine != clusters.machine(msgspec.structs.replace(shell, environment=""), directory)
    assert machine.environment["PYSPARK_DRIVER_PYTHON"] == str(content.python)


def test_requirements_may_come_with_other_line_ends() -> None:
    assert Requirements.parse("pandas\r\nnumpy\r\n").lines == ("pandas", "numpy")
    assert Requirements.parse(io.StringIO("pandas \\\r\n >= 2").getvalue()).lines == ("pandas>=2",)


def test_one_that_can_not_be_read_fails_alone(database: Database, tmp_path: Path) -> None:
    """Rows of a version that took other requirements, or of a hand, must not keep those behind them waiting."""
    rows = [
        EnvironmentRow(name, name, None, "building", requirements, None, None, "", number, None)
        for number, (name, requirements) in enumerate([("ditch", "<<<"), ("empty", "")])
    ]
    for row in rows:
        database.write_and_wait(lambda connection, row=row: store.create(connection, row))
    builder = EnvironmentBuilder(database, JobsSettings(), Home(tmp_path), lambda: 9)
    assert builder.build_next()
    ended = database.read(lambda connection: store.get(connection, "ditch"))
    assert (ended.state, ended.ended_at) == ("failed", 9)
    assert "line 1: '<<<'" in ended.problem
    assert database.read(store.next_to_build).name == "empty"


@pytest.fixture
def building(
    database: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[tuple[threading.Event, "Future[bool]"]]:
    """A build that waits for a package; what sets the package free, and its end."""
    wheel = make_wheel(tmp_path / "wheels", "soil", "1.0", "PH = 6.5\n")
    row = EnvironmentRow("soil", "k", None, "building", "soil\n", None, None, "", 1, None)
    database.write_and_wait(lambda connection: store.create(connection, row))
    with slow_index(wheel) as (address, goes), ThreadPoolExecutor(1) as thread:
        monkeypatch.setenv("UV_DEFAULT_INDEX", address)
        builder = EnvironmentBuilder(database, JobsSettings(), Home(tmp_path / "home"), lambda: 9)
        yield goes, thread.submit(builder.build_next)
        goes.set()


def test_what_a_build_says_can_be_read_meanwhile(
    database: Database, building: tuple[threading.Event, "Future[bool]"]
) -> None:
    def row() -> EnvironmentRow:
        return database.read(lambda connection: store.get(connection, "soil"))

    goes, end = building
    eventually(lambda: "soil==1.0" in row().output, "what was resolved is told")
    assert row().state == "building"
    goes.set()
    assert end.result(60)
    assert row().state == "ready", row().problem
    assert "Installed 1 package" in row().output


def test_a_build_ends_when_its_environment_is_removed(
    database: Database, building: tuple[threading.Event, "Future[bool]"], tmp_path: Path
) -> None:
    _, end = building
    eventually(
        lambda: "soil==1.0" in database.read(lambda connection: store.output_of(connection, "k")), "it builds"
    )
    database.write_and_wait(lambda connection: store.remove(connection, "k"))
    assert end.result(60)
    assert list((tmp_path / "home" / "environments").iterdir()) == []
