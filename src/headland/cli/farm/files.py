"""`headland farm export-files` and `import-files`: what attachments have beside their records.

A file lies in the folder where its resource lies below the instance's address, as in
`parties/elm/attachments/map/file`.
"""

import base64
import hashlib
import json
import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO
from urllib.parse import quote

import click

from headland.cli.errors import CliError
from headland.cli.farm.records import VERSION, Records
from headland.cli.files import replacement
from headland.cli.options import quiet_option
from headland.cli.profile import require_public
from headland.cli.progress import transfer
from headland.cli.surroundings import open_service

if TYPE_CHECKING:
    from headland.cli.service import Service

#: Families of which documents have files, and the members that their paths have after the party, with what stands
#: before each.
_FAMILIES = {
    "attachments": (),
    "insight-attachments": (
        ("models", "modelId"),
        ("resource-types", "resourceType"),
        ("resources", "resourceId"),
    ),
}
_CHUNK = 1 << 20

#: In the folder, and at the service.
_FILE = "file"


@click.command("export-files")
@click.argument("instance")
@click.argument("folder", type=click.Path(path_type=Path, file_okay=False))
@quiet_option("Show no progress, and print nothing.")
def export_files(instance: str, folder: Path, quiet: bool) -> None:
    """Take the files of all attachments out, into a folder.

    What is there already, to the last bit, is left as it is: call it again where it was broken off.
    """
    with open_service() as service:
        found = 0
        for path in _paths(service, instance):
            found += _fetch(service, instance, path, folder / path / _FILE, quiet=quiet)
    if not quiet:
        click.echo(f"{folder}: {found} files")


@click.command("import-files")
@click.argument("instance")
@click.argument("folder", type=click.Path(path_type=Path, file_okay=False, exists=True))
@quiet_option("Show no progress, and print nothing.")
def import_files(instance: str, folder: Path, quiet: bool) -> None:
    """Give attachments their files, from a folder that `export-files` has made.

    The attachments themselves have to be there: import their records first.
    """
    files = sorted(path for path in folder.rglob(_FILE) if path.is_file())
    with open_service() as service:
        for file in files:
            path = file.parent.relative_to(folder).as_posix()
            missing = CliError(f"there is no resource {path}", "import its record first")
            service.call("GET", _address(service, instance, path), query=_QUERY, missing=missing)
            _send(service, instance, path, file, quiet=quiet)
    if not quiet:
        click.echo(f"{folder}: {len(files)} files")


def _paths(service: "Service", instance: str) -> Iterator[str]:
    """Of all resources that may have a file, below the instance's address."""
    for family, parents in _FAMILIES.items():
        with Records(service, instance, family).taken() as answer:
            for line in answer.iter_lines():
                document = json.loads(line)
                steps = ["parties", document["partyId"]]
                for segment, member in parents:
                    steps += [segment, document[member]]
                yield "/".join([*steps, family, document["id"]])


def _fetch(service: "Service", instance: str, path: str, target: Path, *, quiet: bool) -> bool:
    """Whether the resource has a file; it is in its place then."""
    absent = CliError(f"{path} has no file")
    try:
        with service.stream(_address(service, instance, path, _FILE), query=_QUERY, missing=absent) as answer:
            if target.is_file() and answer.headers["repr-digest"] == _digest(target):
                return True
            target.parent.mkdir(parents=True, exist_ok=True)
            size = int(answer.headers["content-length"])
            with (
                replacement(target) as temporary,
                temporary.open("wb") as file,
                transfer(path, size, quiet=quiet) as advance,
            ):
                for piece in answer.iter_bytes(_CHUNK):
                    file.write(piece)
                    advance(len(piece))
    except CliError as error:
        if error is absent:
            return False
        raise
    except OSError as error:
        raise CliError(f"{target} can't be written ({error.strerror})", "name another folder") from None
    return True


def _send(service: "Service", instance: str, path: str, file: Path, *, quiet: bool) -> None:
    boundary = uuid.uuid4().hex
    with transfer(path, file.stat().st_size, quiet=quiet) as advance:

        def form() -> Iterator[bytes]:
            # Without a name: what the file was called is in its record.
            yield f'--{boundary}\r\nContent-Disposition: form-data; name="{_FILE}"\r\n\r\n'.encode()
            with file.open("rb") as source:
                for piece in _pieces(source):
                    yield piece
                    advance(len(piece))
            yield f"\r\n--{boundary}--\r\n".encode()

        service.call(
            "PATCH",
            _address(service, instance, path),
            query=_QUERY,
            content=form,
            headers={"Content-Type": f"multipart/form-data; boundary={boundary}"},
        )


_QUERY = {"api-version": VERSION}


def _address(service: "Service", instance: str, *steps: str) -> str:
    require_public(service.profile, "instances")
    return "/".join(["/farm", quote(instance, safe=""), *(quote(step, safe="/~") for step in steps)])


def _digest(file: Path) -> str:
    """As `Repr-Digest` has it (RFC 9530)."""
    with file.open("rb") as source:
        digest = hashlib.file_digest(source, "sha256").digest()
    return f"sha-256=:{base64.b64encode(digest).decode()}:"


def _pieces(source: BinaryIO) -> Iterator[bytes]:
    while piece := source.read(_CHUNK):
        yield piece
