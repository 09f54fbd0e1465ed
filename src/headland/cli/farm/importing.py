"""`headland farm import`."""

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from headland.cli.exit_codes import ExitCode
from headland.cli.farm.bringing import Bringing
from headland.cli.farm.parts import STANDARD, opened, parts
from headland.cli.farm.records import Records
from headland.cli.farm.report import Report
from headland.cli.farm.unpacking import Unpacking
from headland.cli.options import json_option, quiet_option
from headland.cli.output import print_json
from headland.cli.progress import transfer
from headland.cli.surroundings import open_service

if TYPE_CHECKING:
    from headland.cli.service import Service


@click.command("import")
@click.argument("instance")
@click.argument("source", type=click.Path(path_type=Path), default=STANDARD)
@click.option("--family", help="All lines are documents of this one, such as farms or seasonal-fields.")
@click.option("--create", "mode", flag_value="create", help="Refuse lines of which the document exists.")
@click.option(
    "--restore",
    "mode",
    flag_value="restore",
    help="Bring an export back as it was: stamps and eTags are kept, and what is there is replaced.",
)
@click.option(
    "--refused", type=click.Path(path_type=Path), help="Write to this file what was refused, and why."
)
@click.option("--from-line", "start", type=click.IntRange(min=1), default=1, help="Leave out those before.")
@quiet_option("Show no progress, and print nothing but what was refused.")
@json_option
def import_records(
    *,
    instance: str,
    source: Path,
    family: str | None,
    mode: str | None,
    refused: Path | None,
    start: int,
    quiet: bool,
    as_json: bool,
) -> None:
    """Bring records in, and their files.

    SOURCE is a folder that `export` has made, or a file of lines of JSON, which may be compressed by gzip, if it
    is called so; `-` is standard input. Each line is merged into the document that is there, unless an option
    says otherwise. A line that is refused is told, and the others go on: then the exit code is 1. So is a file
    that is missing or damaged. A folder may be brought in again: what is there is passed over.
    """
    whole = source.is_dir()
    if whole and (family or start > 1 or mode == "create"):
        raise click.UsageError(
            "--family, --create and --from-line are for lines of JSON, and not for a folder."
        )
    silent = quiet or as_json
    with open_service() as service, Report.to(refused) as report:
        if whole:
            told = _bring_all(service, instance, source, mode or "merge", report, quiet=silent)
        else:
            records = Records(service, instance, family)
            bringing = Bringing(records, mode or "merge", report)
            told = _bring_lines(bringing, source, start, quiet=silent)
    if as_json:
        print_json(told)
    elif not quiet:
        click.echo(_summary(told))
    if report.count:
        raise click.exceptions.Exit(ExitCode.FAILED)


def _bring_lines(bringing: Bringing, source: Path, start: int, *, quiet: bool) -> dict[str, Any]:
    size = source.stat().st_size if source != STANDARD and source.is_file() else 0
    with transfer(source.name, size, quiet=quiet) as advance, opened(source, advance) as lines:
        return asdict(bringing.run(parts(lines, start), start - 1))


def _bring_all(
    service: "Service", instance: str, source: Path, mode: str, report: Report, *, quiet: bool
) -> dict[str, Any]:
    unpacking = Unpacking(service, instance, mode, report, quiet=quiet)
    unpacking.run(source)
    files = {"sent": unpacking.sent, "unchanged": unpacking.there, "refused": unpacking.left}
    return asdict(unpacking.done) | {"files": files}


def _summary(told: dict[str, Any]) -> str:
    counts = ("created", "updated", "unchanged", "refused")
    lines = [f"{', '.join(f'{told[name]} {name}' for name in counts)}."]
    if files := told.get("files"):
        lines.append(f"Files: {', '.join(f'{count} {name}' for name, count in files.items())}.")
    return "\n".join(lines)
