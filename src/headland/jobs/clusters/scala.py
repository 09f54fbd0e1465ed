"""Compile Scala: the Spark package brings a compiler of just the version that Spark was built with."""

from collections.abc import Sequence
from pathlib import Path


def compiler_command(java: Path, spark: Path, sources: Sequence[Path], output: Path) -> list[str]:
    """The compiler's command line. It writes an archive where the output's name ends in `.jar`."""
    # Java itself expands the asterisk, to every archive in the folder.
    classes = f"{spark / 'jars'}/*"
    return [
        str(java),
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
