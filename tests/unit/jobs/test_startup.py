"""Files that are made to start applications faster: when they are used, and when they are not."""

import os
from pathlib import Path

import pytest

from headland.jobs.clusters.companion import SOURCES, Companion, training
from headland.jobs.clusters.java import Toolchain
from headland.jobs.clusters.startup import MadeFile, StartupCache, key_of
from headland.jobs.runner.run_directory import RunDirectory


@pytest.fixture
def tools(tmp_path):
    java, spark = tmp_path / "java", tmp_path / "spark"
    (java / "bin").mkdir(parents=True)
    (java / "release").write_text('JAVA_VERSION="25.0.2"\n')
    (spark / "jars").mkdir(parents=True)
    for name in ("spark-core.jar", "scala-compiler-2.13.18.jar"):
        (spark / "jars" / name).write_bytes(b"jar")
    return Toolchain(java / "bin" / "java", spark)


def version(tools: Toolchain, text: str) -> None:
    (tools.java_home / "release").write_text(f'JAVA_VERSION="{text}"\n')


@pytest.fixture
def made(tmp_path):
    return MadeFile(tmp_path / "cache", "startup", "key", ".aot")


@pytest.fixture
def draft(tmp_path, made):
    made.folder.mkdir()
    file = tmp_path / "draft"
    file.write_bytes(b"classes" * 1000)
    return file


def test_a_file_is_adopted_and_found_again(made, draft):
    assert made.path is None
    assert not made.look()
    made.adopt(draft)
    assert made.path.read_bytes() == b"classes" * 1000
    again = MadeFile(made.folder, "startup", "key", ".aot")
    assert again.look()
    assert again.path == made.path


def test_there_must_be_one_to_adopt(made, tmp_path):
    with pytest.raises(OSError, match="No such file"):
        made.adopt(tmp_path / "nowhere")
    assert made.path is None


@pytest.mark.parametrize("damage", ["shorter", "other", "gone", "newer"])
def test_a_file_that_has_changed_is_not_used(made, draft, damage):
    made.adopt(draft)
    file = made.path
    match damage:
        case "shorter":
            os.truncate(file, 10)
        case "other":
            file.write_bytes(b"CLASSES" * 1000)
        case "gone":
            file.unlink()
        case "newer":
            os.utime(file, (1, 1))
    assert made.path is None
    assert MadeFile(made.folder, "startup", "key", ".aot").look() == (damage == "newer")
    assert file.exists() == (damage == "newer"), "what can't be used is removed"


def test_what_was_made_for_another_key_goes(made, draft):
    made.adopt(draft)
    old = made.path
    other = MadeFile(made.folder, "startup", "another", ".aot")
    assert not other.look()
    assert not old.exists()


def test_other_files_stay(made, draft):
    companion = MadeFile(made.folder, "companion", "key", ".jar")
    companion.adopt(draft)
    assert not made.look()
    assert companion.path is not None


def test_the_key_tells_what_a_jvm_compares(tools):
    key = key_of(tools, "x")
    assert key_of(tools, "x") == key
    keys = {key, key_of(tools, "y")}
    version(tools, "25.0.3")
    keys.add(key_of(tools, "x"))
    jar = tools.spark_home / "jars" / "spark-core.jar"
    os.utime(jar, (1, 1))
    keys.add(key_of(tools, "x"))
    jar.write_bytes(b"another")
    keys.add(key_of(tools, "x"))
    (jar.parent / "new.jar").touch()
    keys.add(key_of(tools, "x"))
    assert len(keys) == 6


@pytest.mark.parametrize(
    ("java", "option", "steps"),
    [
        ("25.0.2", "-XX:AOTCache=", 2),
        ("27", "-XX:AOTCache=", 2),
        ("24.0.1", "-XX:SharedArchiveFile=", 1),
        ("17.0.15", "-XX:SharedArchiveFile=", 1),
    ],
)
def test_the_kind_is_javas(tools, tmp_path, java, option, steps):
    version(tools, java)
    (tmp_path / "cache").mkdir()
    cache = StartupCache.of(tools, tmp_path / "cache", "x")
    assert cache.use() == []
    runs = cache.making(["Main", "argument"], ["-Xmx1g"], tmp_path)
    assert len(runs) == steps
    for run in runs:
        # A folder on the class path would keep a JVM from making the cache.
        assert run[run.index("-cp") + 1] == f"{tools.spark_home}/jars/*"
        assert "-Xmx1g" in run
    assert runs[0][-2:] == ["Main", "argument"]
    (tmp_path / f"made{cache.file.suffix}").write_bytes(b"cache")
    cache.file.adopt(tmp_path / f"made{cache.file.suffix}")
    first, *others = cache.use()
    assert first == f"{option}{cache.file.path}"
    assert others
    assert all(part.startswith("-Xlog:") and part.endswith("=off") for part in others)


@pytest.mark.parametrize("java", ["11.0.2", "16", "nonsense"])
def test_older_javas_have_none(tools, tmp_path, java):
    version(tools, java)
    assert StartupCache.of(tools, tmp_path, "x") is None


def test_a_spark_without_compiler_has_no_companion(tools, tmp_path):
    companion = Companion.of(tools, tmp_path)
    making = companion.making(Path("/work"))
    assert making[making.index("-d") + 1 :] == ["/work/made.jar", *map(str, SOURCES)]
    assert {"Drivers.scala", "ClusterFileSystem.scala"} <= {source.name for source in SOURCES}
    next((tools.spark_home / "jars").glob("scala-compiler*")).unlink()
    assert Companion.of(tools, tmp_path) is None


def test_training_writes_into_the_temporary_folder_alone(tmp_path):
    directory = RunDirectory(tmp_path / "run")
    directory.temporary.mkdir(parents=True)
    arguments = training(Path("/c.jar"), directory, {"spark.hadoop.a": "b"})
    folder = directory.temporary / "training"
    assert arguments[-2:] == ["/c.jar", (folder / "data").as_uri()]
    assert "spark.hadoop.a=b" in arguments
    properties = Path(arguments[arguments.index("--properties-file") + 1])
    assert properties.read_bytes() == b""
    assert {entry.name for entry in directory.path.iterdir()} == {"tmp", properties.name}
