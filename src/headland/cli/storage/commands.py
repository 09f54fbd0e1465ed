"""`headland storage upload`, `download`, `ls` and `rm`."""

import sys
from pathlib import Path
from typing import Any

import click

from headland.cli.documents import view
from headland.cli.errors import CliError
from headland.cli.exit_codes import ExitCode
from headland.cli.options import json_option, quiet_option
from headland.cli.output import print_json, print_table, when
from headland.cli.storage.addresses import Address, blob
from headland.cli.storage.blobs import LISTS, Blobs, StoredBlob
from headland.cli.storage.folders import (
    download_folder,
    folder_address,
    local_folder,
    paths_below,
    upload_folder,
)
from headland.cli.surroundings import open_service


@click.command()
@click.argument("file", metavar="FILE-OR-FOLDER", type=click.Path(path_type=Path))
@click.argument("target", required=False)
@json_option
@quiet_option("Show no progress, and print nothing.")
def upload(file: Path, target: str | None, as_json: bool, quiet: bool) -> None:
    """Copy a local file, or all files of a folder, to storage.

    TARGET is a wasbs:// URL or a path in the default container; else the file's name. One that ends in a
    slash is the folder the file goes into.

    Of a folder, TARGET is the folder that its files go into, with the folders in it; else one of the same name.
    Links that lead out of it are not followed, and empty folders are left out: storage has none. A file that
    can't be copied is named, the others are copied, and the command ends with 1.
    """
    if file.is_dir():
        _upload_folder(file, target, as_json=as_json, quiet=quiet)
        return
    wanted = target or file.name
    address = blob(wanted + file.name if wanted.endswith("/") else wanted)
    with open_service() as service:
        document = Blobs(service).upload(file, address, quiet=quiet or as_json)
    if as_json:
        print_json(document)
    elif not quiet:
        click.echo(address.url)


def _upload_folder(folder: Path, target: str | None, *, as_json: bool, quiet: bool) -> None:
    address = folder_address(target if target is not None else folder.resolve().name)
    copied: list[dict[str, Any]] = []

    def done(made: Address, document: dict[str, Any]) -> None:
        copied.append(document)
        if not (quiet or as_json):
            click.echo(made.url)

    with open_service() as service:
        try:
            upload_folder(Blobs(service), folder, address, quiet=quiet or as_json, done=done)
        finally:
            if as_json:
                print_json({"blobs": copied})


@click.command()
@click.argument("url")
@click.argument("file", metavar="[FILE-OR-FOLDER]", required=False)
@quiet_option("Show no progress, and print nothing.")
def download(url: str, file: str | None, quiet: bool) -> None:
    """Copy a blob, or all blobs of a folder, from storage.

    FILE is a file or a folder, else the blob's name in the working folder; `-` is standard output.

    URL may name a folder of storage, or a whole container, too. Then FOLDER is the folder that its files go into,
    with the folders in it; else one of the same name. A file that can't be copied is named, the others are copied,
    and the command ends with 1.
    """
    folder = folder_address(url)
    with open_service() as service:
        blobs = Blobs(service)
        if folder.name and not url.endswith("/"):
            try:
                _download_blob(blobs, folder, file, quiet=quiet)
            except CliError as error:
                if error.code is not ExitCode.NOT_FOUND or not (paths := paths_below(blobs, folder)):
                    raise
            else:
                return
        else:
            paths = paths_below(blobs, folder)
        if not paths:
            raise CliError(f"there is nothing in {folder.url}/", LISTS, ExitCode.NOT_FOUND)

        def done(made: Path) -> None:
            if not quiet:
                click.echo(str(made))

        download_folder(blobs, folder, paths, local_folder(folder, file), quiet=quiet, done=done)


def _download_blob(blobs: Blobs, address: Address, file: str | None, *, quiet: bool) -> None:
    if file == "-":
        blobs.copy(address, sys.stdout.buffer, quiet=quiet)
        return
    target = Path(file or address.name)
    if target.is_dir():
        target /= address.name
    blobs.download(address, target, quiet=quiet)
    if not quiet:
        click.echo(str(target))


@click.command()
@click.argument("prefix", default="", metavar="[URL-OR-PREFIX]")
@json_option
def ls(prefix: str, as_json: bool) -> None:
    """List blobs.

    Lists all of which the path begins with the given one, or all of the default container.
    """
    address = Address.parse(prefix)
    with open_service() as service:
        found = list(Blobs(service).list(address))
    if as_json:
        print_json({"blobs": found, "nextMarker": None})
        return
    blobs = [view(item, StoredBlob) for item in found]
    print_table(
        ["Modified (UTC)", "Size", "URL"],
        [[when(item.modified), item.size, item.url] for item in blobs],
    )


@click.command()
@click.argument("urls", nargs=-1, required=True, metavar="URL…")
@quiet_option("Print nothing.")
def rm(urls: tuple[str, ...], quiet: bool) -> None:
    """Remove blobs.

    Stops at the first that can't be removed.
    """
    addresses = [blob(url) for url in urls]
    with open_service() as service:
        blobs = Blobs(service)
        for address in addresses:
            blobs.delete(address)
            if not quiet:
                click.echo(f"Removed {address.url}.")
