"""Compile Scala: the Spark package brings a compiler of just the version that Spark was built with."""

import os
from collections.abc import Sequence
from pathlib import Path


def compiler_command(
    java: Path, spark: Path, sources: Sequence[Path], output: Path, class_path: Sequence[str] = ()
) -> list[str]:
    """The compiler's command line. It writes an archive where the output's name ends in `.jar`. Sources may use
    Spark's classes, and those of `class_path`: archives, folders of classes, and `folder/*`.
    """
    # Java itself expands the asterisk, to every archive in the folder.
    classes = os.pathsep.join((f"{spark / 'jars'}/*", *class_path))
    return [
        str(java),
        # A compiler that runs for seconds is not worth Java's second compiler, which took as much again as it does.
        "-XX:TieredStopAtLevel=1",
        "-XX:+UseSerialGC",
        "-cp",
        classes,
        "scala.tools.nsc.Main",
        "-usejavacp",
        "-d",
        str(output),
        *map(str, sources),
    ]


def has_compiler(spark: Path) -> bool:
    return any((spark / "jars").glob("scala-compiler-*.jar"))
