"""`headland storage upload`, `download`, `ls` and `rm`."""

import sys
from pathlib import Path

import click

from headland.cli.documents import view
from headland.cli.options import json_option, quiet_option
from headland.cli.output import print_json, print_table, when
from headland.cli.storage.addresses import Address, blob
from headland.cli.storage.blobs import Blobs, StoredBlob
from headland.cli.surroundings import open_service


@click.command()
@click.argument("file", type=click.Path(path_type=Path))
@click.argument("target", required=False)
@json_option
@quiet_option("Show no progress, and print nothing.")
def upload(file: Path, target: str | None, as_json: bool, quiet: bool) -> None:
    """Copy a local file to storage.

    TARGET is a wasbs:// URL or a path in the default container; else the file's name. One that ends in a
    slash is the folder the file goes into.
    """
    wanted = target or file.name
    address = blob(wanted + file.name if wanted.endswith("/") else wanted)
    with open_service() as service:
        document = Blobs(service).upload(file, address, quiet=quiet or as_json)
    if as_json:
        print_json(document)
    elif not quiet:
        click.echo(address.url)


@click.command()
@click.argument("url")
@click.argument("file", required=False)
@quiet_option("Show no progress, and print nothing.")
def download(url: str, file: str | None, quiet: bool) -> None:
    """Copy a blob to a local file.

    FILE is a file or a folder, else the blob's name in the working folder; `-` is standard output.
    """
    address = blob(url)
    with open_service() as service:
        blobs = Blobs(service)
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
