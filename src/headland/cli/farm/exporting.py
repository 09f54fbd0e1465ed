"""`headland farm export`."""

import gzip
import sys
from contextlib import nullcontext
from pathlib import Path
from typing import BinaryIO, cast

import click

from headland.cli.exit_codes import ExitCode
from headland.cli.farm.packing import Packing
from headland.cli.farm.parts import STANDARD
from headland.cli.farm.records import Records
from headland.cli.farm.report import Report
from headland.cli.files import replacement
from headland.cli.options import quiet_option
from headland.cli.progress import transfer
from headland.cli.surroundings import open_service


@click.command("export")
@click.argument("instance")
@click.argument("target", type=click.Path(path_type=Path), default=STANDARD)
@click.option("--records", "lines_alone", is_flag=True, help="Lines of JSON alone, without files.")
@click.option(
    "--family", help="The documents of this one alone, such as farms or seasonal-fields, as lines of JSON."
)
@click.option(
    "--refused", type=click.Path(path_type=Path), help="Write to this file which files could not go, and why."
)
@quiet_option("Show no progress, and print nothing but what could not go.")
def export_records(
    *,
    instance: str,
    target: Path,
    lines_alone: bool,
    family: str | None,
    refused: Path | None,
    quiet: bool,
) -> None:
    """Take records out, and their files.

    TARGET is a folder, which becomes a bag (BagIt, RFC 8493): lines of JSON for each family of records, parties
    first, the files of attachments, and checksums of it all. A file that is whole there is not fetched again:
    the same command goes on where it was broken off. A file that changes meanwhile is left out: then the exit
    code is 1.

    With --records or --family it is a file of lines of JSON. It is replaced once all of it has come, and
    compressed by gzip if its name ends in .gz; `-` is standard output. Records are of one moment either way.
    """
    if lines_alone or family is not None:
        with open_service() as service:
            _take_lines(Records(service, instance, family), target, instance, quiet=quiet)
        return
    if target == STANDARD:
        raise click.UsageError("Name a folder, or say --records for lines of JSON without files.")
    with open_service() as service, Report.to(refused) as report:
        packed = Packing(service, instance, report, quiet=quiet).run(target)
    if not quiet:
        click.echo(f"{target}: {packed.records} records, {packed.files} files")
    if report.count:
        raise click.exceptions.Exit(ExitCode.FAILED)


def _take_lines(records: Records, target: Path, name: str, *, quiet: bool) -> None:
    if target == STANDARD:
        _copy(records, sys.stdout.buffer, name, quiet=quiet)
        return
    with replacement(target) as temporary, temporary.open("wb") as raw:
        zipped = gzip.GzipFile("", "wb", fileobj=raw, mtime=0) if target.suffix == ".gz" else nullcontext(raw)
        with zipped as opened:
            lines = _copy(records, cast("BinaryIO", opened), name, quiet=quiet)
    if not quiet:
        click.echo(f"{target}: {lines} lines")


def _copy(records: Records, target: BinaryIO, name: str, *, quiet: bool) -> int:
    """How many lines there were."""
    lines = 0
    with records.taken() as answer, transfer(name, 0, quiet=quiet) as advance:
        for piece in answer.iter_bytes():
            target.write(piece)
            lines += piece.count(b"\n")
            advance(len(piece))
    return lines
