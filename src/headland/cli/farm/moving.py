"""One file of an instance, on its way out or in."""

import base64
import hashlib
import uuid
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import quote

from msgspec import Struct

from headland.cli.errors import CliError
from headland.cli.exit_codes import ExitCode
from headland.cli.farm.bag import digest_of
from headland.cli.farm.records import VERSION
from headland.cli.files import replacement
from headland.cli.progress import Advance, transfer

if TYPE_CHECKING:
    from headland.cli.service import Service

#: Makes a body to be streamed, anew for each attempt.
_Pieces = Callable[[], Iterator[bytes]]

_CHUNK = 1 << 20
_QUERY = {"api-version": VERSION}
_REPR_DIGEST = "Repr-Digest"


class FileOf(Struct, frozen=True):
    """A record's file, as the record tells of it."""

    #: Below the instance's address.
    path: str
    #: What it was called where it came from.
    name: str
    #: Bytes.
    size: int
    #: In hexadecimal digits.
    sha256: str

    def is_at(self, place: Path) -> bool:
        """Whether it is there, to the last bit."""
        whole = place.is_file() and place.stat().st_size == self.size
        return whole and digest_of(place).hex() == self.sha256


class UnmovedError(Exception):
    """A file can't go, and others can; the message says why."""


class Files:
    """An instance's files."""

    def __init__(self, service: "Service", instance: str, *, quiet: bool) -> None:
        self._service = service
        self._base = f"/farm/{quote(instance, safe='')}"
        self._quiet = quiet

    def fetch(self, file: FileOf, target: Path) -> None:
        """Put it in a place of this machine.

        Raises:
            UnmovedError: the instance has it no more.
            CliError: the service does not answer, or refuses.
        """
        gone = CliError("")
        try:
            with self._service.stream(self._address(file), query=_QUERY, missing=gone) as answer:
                if answer.headers.get(_REPR_DIGEST) != _digest(file):
                    raise UnmovedError("another one has taken its place meanwhile")
                target.parent.mkdir(parents=True, exist_ok=True)
                with replacement(target) as temporary:
                    self._save(answer.iter_bytes(_CHUNK), file, temporary)
        except CliError as error:
            if error is gone:
                raise UnmovedError("it was deleted meanwhile") from None
            raise

    def _save(self, pieces: Iterator[bytes], file: FileOf, target: Path) -> None:
        digest = hashlib.sha256()
        with target.open("wb") as opened, transfer(file.path, file.size, quiet=self._quiet) as advance:
            for piece in pieces:
                opened.write(piece)
                digest.update(piece)
                advance(len(piece))
        if digest.hexdigest() != file.sha256:
            raise UnmovedError("it is damaged where the service keeps it")

    def send(self, file: FileOf, source: Path, *, restore: bool) -> bool:
        """Give it to its record; whether it was not there already.

        Args:
            restore: bring it back and leave the record as it is, stamps included.

        Raises:
            UnmovedError: it is not what it was, has no record, or is refused.
            CliError: the service does not answer, or fails.
        """
        missing = CliError("")
        try:
            if self._has(file):
                return False
            if not file.is_at(source):
                raise UnmovedError("it is damaged" if source.is_file() else "it is missing")
            with transfer(file.path, file.size, quiet=self._quiet) as advance:
                send = self._put if restore else self._patch
                send(file, lambda: _pieces(source, advance), missing)
        except CliError as error:
            if error is missing:
                raise UnmovedError("its record is not there") from None
            if error.code is ExitCode.FAILED and not (error.passing or error.uncertain):
                raise UnmovedError(error.problem) from None
            raise
        return True

    def _has(self, file: FileOf) -> bool:
        """Whether it is in its place at the service."""
        nothing = CliError("")
        try:
            answer = self._service.call("HEAD", self._address(file), query=_QUERY, missing=nothing)
        except CliError as error:
            if error is nothing:
                return False
            raise
        return bool(answer.headers.get(_REPR_DIGEST) == _digest(file))

    def _put(self, file: FileOf, pieces: _Pieces, missing: CliError) -> None:
        headers = {"Content-Type": "application/octet-stream", _REPR_DIGEST: _digest(file)}
        address = self._address(file)
        self._service.call("PUT", address, query=_QUERY, content=pieces, headers=headers, missing=missing)

    def _patch(self, file: FileOf, pieces: _Pieces, missing: CliError) -> None:
        address, boundary = self._address(file).removesuffix("/file"), uuid.uuid4().hex
        # A patch of what is not there would make it.
        self._service.call("HEAD", address, query=_QUERY, missing=missing)

        def form() -> Iterator[bytes]:
            head = f"--{boundary}\r\nContent-Disposition: form-data; name="
            yield f'{head}"originalFileName"\r\n\r\n{file.name}\r\n{head}"file"\r\n\r\n'.encode()
            yield from pieces()
            yield f"\r\n--{boundary}--\r\n".encode()

        headers = {"Content-Type": f"multipart/form-data; boundary={boundary}"}
        self._service.call("PATCH", address, query=_QUERY, content=form, headers=headers, missing=missing)

    def _address(self, file: FileOf) -> str:
        return f"{self._base}/{quote(file.path, safe='/~')}"


def _digest(file: FileOf) -> str:
    """As `Repr-Digest` has it (RFC 9530)."""
    return f"sha-256=:{base64.b64encode(bytes.fromhex(file.sha256)).decode()}:"


def _pieces(source: Path, advance: Advance) -> Iterator[bytes]:
    with source.open("rb") as opened:
        while piece := opened.read(_CHUNK):
            yield piece
            advance(len(piece))
