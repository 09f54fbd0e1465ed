"""The storage API, as commands use it."""

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

from msgspec import Struct, field

from headland.cli.documents import view
from headland.cli.errors import CliError
from headland.cli.exit_codes import ExitCode
from headland.cli.files import replacement
from headland.cli.profile import require_public
from headland.cli.progress import Advance, transfer
from headland.cli.storage.addresses import Address

if TYPE_CHECKING:
    from headland.cli.service import Service

#: Bytes read at once.
CHUNK = 1 << 20

#: What helps who asked for something that is not there.
LISTS = "`headland storage ls` lists them"


class StoredBlob(Struct):
    """A blob."""

    path: str
    url: str
    size: int
    #: Milliseconds since 1970, UTC.
    modified: int


class BlobPage(Struct):
    """Some blobs, and where the next page begins."""

    blobs: list[dict[str, Any]]
    next_marker: str | None = field(default=None, name="nextMarker")


class Blobs:
    """Blobs of a deployment."""

    def __init__(self, service: "Service") -> None:
        require_public(service.profile, "storage")
        self._service = service

    def upload(
        self, source: Path, target: Address, *, title: str | None = None, quiet: bool = False
    ) -> dict[str, Any]:
        """Copy `source` to `target`; what the service answers. The bar is called `title`, else as the file is.

        Raises:
            CliError: the file can't be read, or the service refuses it.
        """
        try:
            size = source.stat().st_size
            # What is no file, a pipe for one, may wait for ever to be opened.
            if not source.is_file():
                raise CliError(f"{source} is not a file", "name a file or a folder", ExitCode.USAGE)
            source.open("rb").close()
        except OSError as error:
            raise CliError(
                f"{source} can't be read ({error.strerror})", "check the path", ExitCode.USAGE
            ) from None
        with transfer(title or source.name, size, quiet=quiet) as advance:
            return self._service.document(
                "PUT",
                target.blob_path,
                content=lambda: _chunks(source, advance),
                headers={"Content-Length": str(size), "Content-Type": "application/octet-stream"},
            )

    def download(
        self, source: Address, target: Path, *, title: str | None = None, quiet: bool = False
    ) -> None:
        """Copy `source` to `target`, which is replaced once all of it has come.

        Raises:
            CliError: there is no such blob, or the file can't be written.
        """
        try:
            with replacement(target) as temporary, temporary.open("wb") as file:
                self.copy(source, file, title=title, quiet=quiet)
        except OSError as error:
            raise CliError(f"{target} can't be written ({error.strerror})", "name another file") from None

    def copy(self, source: Address, file: BinaryIO, *, title: str | None = None, quiet: bool = False) -> None:
        """Write the bytes of `source` to `file`."""
        with self._service.stream(source.blob_path, missing=no_blob(source)) as response:
            size = int(response.headers.get("content-length", 0))
            with transfer(title or source.name, size, quiet=quiet) as advance:
                for chunk in response.iter_bytes(CHUNK):
                    file.write(chunk)
                    advance(len(chunk))

    def list(self, prefix: Address) -> Iterator[dict[str, Any]]:
        """Every blob of which the path begins with the prefix's, page by page."""
        marker: str | None = None
        while True:
            query = {"prefix": prefix.path or None, "marker": marker}
            document = self._service.document(
                "GET", prefix.container_path, query=query, missing=_no_container(prefix)
            )
            page = view(document, BlobPage)
            yield from page.blobs
            marker = page.next_marker
            if not marker:
                return

    def delete(self, target: Address) -> None:
        """Remove a blob."""
        self._service.call("DELETE", target.blob_path, missing=no_blob(target))


def no_blob(address: Address) -> CliError:
    """There is none by this name."""
    return CliError(f"there is no blob {address.url}", LISTS, ExitCode.NOT_FOUND)


def _no_container(address: Address) -> CliError:
    return CliError(
        f"there is no container '{address.container}' in account '{address.account}'",
        "check the URL, or leave both out for the default container",
        ExitCode.NOT_FOUND,
    )


def _chunks(source: Path, advance: Advance) -> Iterator[bytes]:
    with source.open("rb") as file:
        while chunk := file.read(CHUNK):
            yield chunk
            advance(len(chunk))
