"""A folder that has all of an instance: a bag (BagIt, RFC 8493), which other tools can read and check.

    bagit.txt, bag-info.txt
    manifest-sha256.txt               checksums of all below `data`, as `sha256sum --check` reads them
    data/records/farms.ndjson         a family's records, a line each
    data/files/parties/elm/attachments/map/file
                                      a file, where it lies below the instance's address

The manifest is written last: a folder without one is of an export that was broken off.
"""

import hashlib
import re
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path, PurePosixPath
from typing import IO

from headland.cli.errors import CliError
from headland.cli.exit_codes import ExitCode
from headland.cli.files import replacement

RECORDS, FILES = "data/records", "data/files"

_DECLARATION, _DECLARED = "bagit.txt", "BagIt-Version: 1.0\nTag-File-Character-Encoding: UTF-8\n"
_INFO = "bag-info.txt"
_MANIFEST = "manifest-sha256.txt"
_ENTRY = re.compile(r"([0-9a-f]{64}) +(data/.+)")


class Bag:
    """The folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def place(self, *steps: str) -> Path:
        """Where something is in it.

        Raises:
            CliError: it would be elsewhere. Paths come over the network, or from who knows where.
        """
        path = PurePosixPath(*steps)
        if path.is_absolute() or {"..", ""} & set(path.parts) or "\0" in str(path):
            raise CliError(f"'{path}' is no place in {self.folder}", "don't trust where it comes from")
        return self.folder / path

    def records(self) -> list[Path]:
        """Files of records, in the order in which they were taken out.

        Raises:
            CliError: the bag is not whole, or one of them is not what it was.
        """
        found = []
        for place, sha256 in self._manifest():
            # What comes after them is files.
            if not place.startswith(f"{RECORDS}/"):
                break
            path = self.place(place)
            if not path.is_file() or digest_of(path).hex() != sha256:
                what = "damaged" if path.is_file() else "missing"
                raise CliError(f"{path} is {what}", "bring in what is left of it by itself", ExitCode.USAGE)
            found.append(path)
        return found

    @contextmanager
    def filled(self, name: str) -> "Iterator[Filling]":
        """Make the folder the bag of an instance's data. It is one when all has gone well.

        Raises:
            CliError: something else is in it.
            OSError: it can't be written.
        """
        self.folder.mkdir(parents=True, exist_ok=True)
        if any(self.folder.iterdir()) and not (self.folder / _DECLARATION).is_file():
            text = f"{self.folder} has something else in it than an export"
            raise CliError(text, "name another folder", ExitCode.USAGE)
        self._write(_DECLARATION, _DECLARED)
        (self.folder / _MANIFEST).unlink(missing_ok=True)
        with replacement(self.folder / _MANIFEST) as temporary:
            with temporary.open("w", encoding="utf-8") as manifest:
                filling = Filling(self, manifest)
                yield filling
            filling.remove_others()
            info = {
                "External-Identifier": name,
                "Bagging-Date": f"{datetime.now(UTC):%Y-%m-%d}",
                "Bag-Software-Agent": "headland",
                "Payload-Oxum": f"{filling.bytes}.{filling.count}",
            }
            self._write(_INFO, "".join(f"{label}: {value}\n" for label, value in info.items()))

    def _manifest(self) -> Iterator[tuple[str, str]]:
        """Places and checksums, in the order in which they were packed."""
        try:
            with (self.folder / _MANIFEST).open(encoding="utf-8") as lines:
                for number, line in enumerate(lines, 1):
                    entry = _ENTRY.fullmatch(line.rstrip("\n"))
                    if entry is None:
                        text = f"line {number} of {self.folder / _MANIFEST} is no checksum with a path"
                        raise CliError(text, "export the instance again", ExitCode.USAGE)
                    yield entry[2], entry[1]
        except FileNotFoundError:
            text = f"{self.folder} has no {_MANIFEST}: it is no export, or one that was broken off"
            raise CliError(text, "call the export again, which goes on with it", ExitCode.USAGE) from None

    def _write(self, name: str, text: str) -> None:
        with replacement(self.folder / name) as temporary:
            temporary.write_text(text, "utf-8")


class Filling:
    """What is put into a bag. What an earlier export has put there need not come again."""

    def __init__(self, bag: Bag, manifest: IO[str]) -> None:
        self._bag = bag
        self._manifest = manifest
        self._others = {path for path in (bag.folder / "data").rglob("*") if not path.is_dir()}
        self.bytes = self.count = 0

    def add(self, place: str, sha256: str) -> None:
        """Something is in its place, with this checksum in hexadecimal digits."""
        path = self._bag.place(place)
        self._others.discard(path)
        self.bytes += path.stat().st_size
        self.count += 1
        self._manifest.write(f"{sha256}  {place}\n")

    def remove_others(self) -> None:
        """Remove what the instance does not have any more."""
        for path in self._others:
            path.unlink()


def digest_of(file: Path) -> bytes:
    """A file's SHA-256."""
    with file.open("rb") as source:
        return hashlib.file_digest(source, "sha256").digest()
