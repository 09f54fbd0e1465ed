"""All of an instance, out into a bag."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec
from msgspec import Struct

from headland.cli.documents import unexpected
from headland.cli.farm.bag import FILES, RECORDS, Bag, Filling, digest_of
from headland.cli.farm.bringing import patience
from headland.cli.farm.moving import FileOf, Files, UnmovedError
from headland.cli.farm.records import Records
from headland.cli.farm.report import Report
from headland.cli.files import replacement
from headland.cli.progress import transfer

if TYPE_CHECKING:
    from headland.cli.service import Service


class _Family(Struct):
    """What of a record says whose it is."""

    family: str


class _Record(Struct):
    """What of a record says whether there is a file."""

    file: FileOf | None = None


_family_of = msgspec.json.Decoder(_Family).decode
_file_of = msgspec.json.Decoder(_Record).decode


@dataclass(slots=True)
class Packed:
    """What has gone out."""

    records: int = 0
    files: int = 0


class Packing:
    """Takes it out, as of one moment."""

    def __init__(self, service: "Service", instance: str, report: Report, *, quiet: bool) -> None:
        self._name = instance
        self._records = Records(service, instance, None)
        self._files = Files(service, instance, quiet=quiet)
        self._report = report
        self._quiet = quiet
        self._polling = patience()

    def run(self, folder: Path) -> Packed:
        """Fill a folder. A file that can't go is told, and the others go on; one that is there need not come again.

        Raises:
            CliError: it can't go on.
            OSError: the folder can't be written.
        """
        bag, packed = Bag(folder), Packed()
        with bag.filled(self._name) as filling:
            bag.place(RECORDS).mkdir(parents=True, exist_ok=True)
            places = self._polling.ask(lambda: self._take_records(bag))
            for place, lines in places.items():
                filling.add(place, digest_of(bag.place(place)).hex())
                packed.records += lines
            for place in places:
                for file in files_in(bag.place(place)):
                    packed.files += self._take_file(bag, file, filling)
        return packed

    def _take_records(self, bag: Bag) -> dict[str, int]:
        """Where each family's records are, and how many."""
        places: dict[str, int] = {}
        with self._records.taken() as answer, transfer(self._name, 0, quiet=self._quiet) as advance:
            for family, lines in groupby(_lines(answer.iter_bytes()), _named):
                place = f"{RECORDS}/{family}.ndjson"
                with replacement(bag.place(place)) as temporary, temporary.open("wb") as target:
                    places[place] = 0
                    for line in lines:
                        target.write(line)
                        places[place] += 1
                        advance(len(line))
        return places

    def _take_file(self, bag: Bag, file: FileOf, filling: Filling) -> bool:
        place = f"{FILES}/{file.path}"
        target = bag.place(place)
        try:
            if not file.is_at(target):
                self._polling.ask(lambda: self._files.fetch(file, target))
        except UnmovedError as problem:
            text = f"{file.path} was not taken: {problem}"
            self._report.add(text, {"file": place, "message": str(problem)})
            return False
        filling.add(place, file.sha256)
        return True


def files_in(records: Path) -> Iterator[FileOf]:
    """What a file of records tells of files."""
    with records.open("rb") as lines:
        for line in lines:
            # Few records have one, and a search for the word costs nothing.
            file = _file_of(line).file if b'"file":' in line else None
            if file is not None:
                yield file


def _named(line: bytes) -> str:
    try:
        return _family_of(line).family
    except msgspec.MsgspecError as error:
        raise unexpected(error) from None


def _lines(pieces: Iterator[bytes]) -> Iterator[bytes]:
    """With their ends."""
    rest = b""
    for piece in pieces:
        *ended, rest = (rest + piece).split(b"\n")
        for line in ended:
            yield line + b"\n"
    if rest:
        yield rest
