"""`headland batch submit`."""

import hashlib
import re
import uuid
from pathlib import Path
from typing import Any

import click

from headland.cli.batch.following import follow_log
from headland.cli.batch.jobs import Jobs, check_end
from headland.cli.batch.wait import wait_for_end
from headland.cli.batch.watching import watcher
from headland.cli.documents import view
from headland.cli.errors import CliError
from headland.cli.exit_codes import ExitCode
from headland.cli.livy import Job
from headland.cli.log_pages import print_line
from headland.cli.options import json_option, quiet_option
from headland.cli.output import print_json
from headland.cli.spark_options import in_livys_words, spark_options
from headland.cli.storage.addresses import blob
from headland.cli.storage.blobs import Blobs
from headland.cli.surroundings import open_service

#: Folder of the default container that `--upload` writes to.
UPLOADS = "uploads"

#: What a file's name may hold that a batch's URL may not.
_URL_UNSAFE = re.compile(r"[^\w.@+=-]")

#: Keys that need no quoting in a header.
_KEY = re.compile(r"[!#-+\--~]{1,255}")


def _key(_ctx: click.Context, _parameter: click.Parameter, value: str | None) -> str | None:
    if value is not None and not _KEY.fullmatch(value):
        raise click.BadParameter("must be up to 255 visible ASCII characters, without quotes and commas.")
    return value


@click.command()
@click.argument("file", metavar="FILE")
@click.argument("args", nargs=-1)
@click.option("--class", "class_name", metavar="CLASS", help="Entry class; required with an archive.")
@click.option("--name", help="A name, unique among batches that have not ended.")
@spark_options
@click.option(
    "--idempotency-key",
    metavar="KEY",
    callback=_key,
    help="A submission repeated with its key is taken once; made up where there is none.",
)
@click.option("--upload", is_flag=True, help=f"FILE is a local file: copy it to {UPLOADS}/ on storage first.")
@click.option("--wait", "waits", is_flag=True, help="Wait until the batch has ended, and end as it did.")
@click.option("--follow", is_flag=True, help="Print its log meanwhile; implies --wait.")
@json_option
@quiet_option("Print the batch's number alone.")
def submit(
    *,
    file: str,
    args: tuple[str, ...],
    idempotency_key: str | None,
    upload: bool,
    waits: bool,
    follow: bool,
    as_json: bool,
    quiet: bool,
    **named: Any,
) -> None:
    """Submit an application archive or a Python program.

    FILE is a URL on cluster storage (wasbs:///jobs/app.jar), or with --upload a local file. Arguments of
    the application that begin with a dash come after `--`.
    """
    if follow and as_json:
        raise click.UsageError("--follow goes not with --json.")
    if not named["class_name"] and not file.endswith(".py"):
        raise click.UsageError("An archive needs its entry class: --class CLASS.")
    with open_service() as service:
        jobs = Jobs(service)
        url = _upload(Blobs(service), file, quiet=quiet or as_json) if upload else file
        key = idempotency_key or str(uuid.uuid4())
        document = _submit(jobs, in_livys_words(file=url, args=args, **named), key, file)
        batch = view(document, Job)
        id_, state = str(batch.id), batch.state
        if not as_json:
            click.echo(id_ if quiet else f"Batch {id_}: {state}.")
        if follow:
            state = follow_log(jobs, id_, 0, print_line)
        elif waits:
            with watcher(quiet=quiet) as watching:
                state = wait_for_end(jobs, id_, watching)
        if as_json:
            print_json(jobs.batch(id_) if waits else document)
        elif (waits or follow) and not quiet:
            click.echo(f"Batch {id_}: {state}.")
        if waits or follow:
            check_end(jobs, state, id_)


def _submit(jobs: Jobs, body: dict[str, Any], key: str, file: str) -> dict[str, Any]:
    try:
        return jobs.submit(body, key)
    except CliError as error:
        if error.uncertain:
            raise CliError(
                error.problem,
                f"the same command with `--idempotency-key {key}` does not submit it twice",
                error.code,
                passing=error.passing,
            ) from None
        if error.code == ExitCode.FAILED and not error.passing and "://" not in body["file"]:
            raise CliError(
                error.problem, f"`--upload` brings a local file such as {file} to cluster storage first"
            ) from None
        raise


def _upload(blobs: Blobs, file: str, *, quiet: bool) -> str:
    source = Path(file)
    target = blob(f"{UPLOADS}/{_fingerprint(source)}/{_URL_UNSAFE.sub('-', source.name)}")
    blobs.upload(source, target, quiet=quiet)
    return target.url


def _fingerprint(source: Path) -> str:
    """A name for the file's content: another file of the same name must not take the place of an archive
    that a waiting batch has still to fetch.

    Raises:
        CliError: the file can't be read.
    """
    try:
        with source.open("rb") as opened:
            return hashlib.file_digest(opened, "sha256").hexdigest()[:16]
    except OSError as error:
        raise CliError(
            f"{source} can't be read ({error.strerror})", "check the path", ExitCode.USAGE
        ) from None
