import subprocess
import zipfile
from pathlib import Path

import pytest

from headland.jobs.clusters.scala import compiler_command

SOURCE = 'object Hello { def main(args: Array[String]): Unit = println("hello") }\n'


@pytest.mark.timeout(120)
def test_scala_becomes_an_archive(bare_headland):
    Path("src").mkdir()
    Path("src/Hello.scala").write_text(SOURCE)
    result = bare_headland("archive", "build", "src", "-o", "app.jar")
    assert result.exit_code == 0, result.output
    assert result.stdout == "app.jar\n"
    assert {"Hello.class", "Hello$.class"} <= set(zipfile.ZipFile("app.jar").namelist())
    assert sorted(path.name for path in Path().iterdir()) == ["app.jar", "src"]


@pytest.mark.timeout(240)
def test_sources_and_classes_of_several_places(bare_headland):
    for name in ("Soil", "Crop", "Rain"):
        Path(name).mkdir()
        Path(name, "It.scala").write_text(f'package {name.lower()}\nobject It {{ val name = "{name}" }}\n')
        library = bare_headland("archive", "build", f"{name}/It.scala", "-o", f"{name}/{name}.jar")
        assert library.exit_code == 0, library.output
    zipfile.ZipFile("Rain/Rain.jar").extractall("classes of rain")
    Path("src").mkdir()
    Path("src/Field.scala").write_text("class Field { val all = Plan.all + soil.It.name + crop.It.name }\n")
    Path("Plan.scala").write_text("object Plan { val all: String = rain.It.name }\n")
    sources = ("src", "Plan.scala", "src/Field.scala")
    given = ("--class-path", "Soil/Soil.jar:Crop/*", "--class-path", "classes of rain")
    made = bare_headland("archive", "build", *sources, *given, "-o", "app.jar")
    assert made.exit_code == 0, made.output
    names = set(zipfile.ZipFile("app.jar").namelist())
    assert {"Field.class", "Plan.class"} <= names
    assert not any("It" in name for name in names)
    lacking = bare_headland("archive", "build", *sources, *given[:2], "-o", "app.jar")
    assert (lacking.exit_code, "not found: value rain" in lacking.stderr) == (1, True)


@pytest.mark.parametrize("path", ["nowhere.jar", "nowhere/*", "A.scala", "there:nowhere", "there/*"])
def test_a_class_path_that_is_not_there_is_2(bare_headland, path):
    Path("A.scala").write_text(SOURCE)
    Path("there").mkdir()
    result = bare_headland("archive", "build", "A.scala", "-o", "app.jar", "--class-path", path)
    assert result.exit_code == 2
    assert "is no archive" in result.stderr


@pytest.mark.timeout(120)
def test_the_compilers_words_are_shown_and_the_old_archive_stays(bare_headland):
    Path("Bad.scala").write_text('object Bad { val x: Int = "a" }\n')
    Path("app.jar").write_bytes(b"old")
    result = bare_headland("archive", "build", "Bad.scala", "-o", "app.jar")
    assert result.exit_code == 1
    assert "Bad.scala:1: error: type mismatch;" in result.stderr
    assert result.stderr.splitlines()[-1].startswith("headland: the sources do not compile; ")
    assert result.stdout == ""
    assert Path("app.jar").read_bytes() == b"old"
    assert sorted(path.name for path in Path().iterdir()) == ["Bad.scala", "app.jar"]


def test_the_command_line_names_everything_in_full():
    command = compiler_command(Path("/j/bin/java"), Path("/spark"), [Path("a.scala")], Path("o.jar"))
    assert command == [
        *["/j/bin/java", "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC"],
        *["-cp", "/spark/jars/*", "scala.tools.nsc.Main", "-usejavacp"],
        *["-d", "o.jar", "a.scala"],
    ]


@pytest.mark.parametrize(
    "arguments",
    [
        ["nowhere.scala", "-o", "app.jar"],
        ["App.java", "-o", "app.jar"],
        ["empty", "-o", "app.jar"],
        ["A.scala", "-o", "app.zip"],
        ["A.scala"],
        ["-o", "app.jar"],
    ],
)
def test_wrong_usage_starts_no_compiler(bare_headland, monkeypatch, arguments):
    monkeypatch.setattr(subprocess, "run", lambda *_, **__: pytest.fail("started"))
    Path("empty").mkdir()
    Path("App.java").touch()
    Path("A.scala").write_text(SOURCE)
    assert bare_headland("archive", "build", *arguments).exit_code == 2


@pytest.mark.parametrize(
    ("variables", "code", "text"),
    [
        ({"HEADLAND_JOBS_JAVA_HOME": "/no/java"}, 1, "/no/java/bin/java can't be run"),
        ({"HEADLAND_JOBS_SPARK_HOME": "/no/spark"}, 1, "there is no Scala compiler in /no/spark/jars"),
        ({"HEADLAND_JOBS_NOTHING": "x"}, 2, "HEADLAND_JOBS_NOTHING names no setting"),
    ],
)
def test_what_is_missing_is_named(bare_headland, variables, code, text):
    Path("A.scala").write_text(SOURCE)
    result = bare_headland("archive", "build", "A.scala", "-o", "app.jar", **variables)
    assert result.exit_code == code
    assert text in result.stderr
    assert not Path("app.jar").exists()


def test_an_output_that_cannot_be_written(bare_headland):
    Path("A.scala").write_text(SOURCE)
    result = bare_headland("archive", "build", "A.scala", "-o", "no/app.jar")
    assert result.exit_code == 1
    assert result.stderr.startswith("headland: no/app.jar can't be written (No such file or directory); ")
