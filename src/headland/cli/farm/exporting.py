"""`headland farm export`."""

import gzip
import sys
from contextlib import nullcontext
from pathlib import Path
from typing import BinaryIO, cast

import click

from headland.cli.errors import CliError
from headland.cli.farm.parts import STANDARD
from headland.cli.farm.records import Records
from headland.cli.files import replacement
from headland.cli.options import quiet_option
from headland.cli.progress import transfer
from headland.cli.surroundings import open_service


@click.command("export")
@click.argument("instance")
@click.argument("file", type=click.Path(path_type=Path), default=STANDARD)
@click.option("--family", help="The documents of this one alone, such as farms or seasonal-fields.")
@quiet_option("Show no progress, and print nothing.")
def export_lines(instance: str, file: Path, family: str | None, quiet: bool) -> None:
    """Take records out, as lines of JSON.

    They are of one moment, in the order in which they were made, parties first. FILE is replaced once all of
    it has come, and compressed by gzip if it is called so; `-` is standard output.
    """
    with open_service() as service:
        records = Records(service, instance, family)
        if file == STANDARD:
            _copy(records, sys.stdout.buffer, instance, quiet=quiet)
            return
        try:
            with replacement(file) as temporary, temporary.open("wb") as raw:
                zipped = (
                    gzip.GzipFile("", "wb", fileobj=raw, mtime=0)
                    if file.suffix == ".gz"
                    else nullcontext(raw)
                )
                with zipped as target:
                    lines = _copy(records, cast("BinaryIO", target), instance, quiet=quiet)
        except OSError as error:
            raise CliError(f"{file} can't be written ({error.strerror})", "name another file") from None
    if not quiet:
        click.echo(f"{file}: {lines} lines")


def _copy(records: Records, target: BinaryIO, name: str, *, quiet: bool) -> int:
    """How many lines there were."""
    lines = 0
    with records.taken() as answer, transfer(name, 0, quiet=quiet) as advance:
        for piece in answer.iter_bytes():
            target.write(piece)
            lines += piece.count(b"\n")
            advance(len(piece))
    return lines
