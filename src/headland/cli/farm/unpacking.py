"""All of an instance, in from a bag."""

from pathlib import Path
from typing import TYPE_CHECKING

from headland.cli.farm.bag import FILES, Bag
from headland.cli.farm.bringing import Bringing, Done, patience
from headland.cli.farm.moving import FileOf, Files, UnmovedError
from headland.cli.farm.packing import files_in
from headland.cli.farm.parts import opened, parts
from headland.cli.farm.records import Records
from headland.cli.farm.report import Report
from headland.cli.progress import transfer

if TYPE_CHECKING:
    from headland.cli.service import Service


class Unpacking:
    """Brings it in: records, then their files. It can be repeated, and passes over what is there then."""

    def __init__(self, service: "Service", instance: str, mode: str, report: Report, *, quiet: bool) -> None:
        self._records = Records(service, instance, None)
        self._files = Files(service, instance, quiet=quiet)
        self._mode = mode
        self._report = report
        self._quiet = quiet
        self._polling = patience()
        self.done = Done()
        #: Files that have come in, that were there, and that could not come.
        self.sent = self.there = self.left = 0

    def run(self, folder: Path) -> None:
        """Bring in all that a folder has. What can't come is told, and the rest goes on.

        Raises:
            CliError: the folder is no whole export, or it can't go on.
        """
        bag = Bag(folder)
        places = bag.records()
        for place in places:
            bringing = Bringing(self._records, self._mode, self._report, place.name)
            with (
                transfer(place.name, place.stat().st_size, quiet=self._quiet) as advance,
                opened(place, advance) as lines,
            ):
                self.done.join(bringing.run(parts(lines, 1)))
        for place in places:
            for file in files_in(place):
                self._bring(bag, file)

    def _bring(self, bag: Bag, file: FileOf) -> None:
        place = f"{FILES}/{file.path}"
        source, restore = bag.place(place), self._mode == "restore"
        try:
            sent = self._polling.ask(lambda: self._files.send(file, source, restore=restore))
        except UnmovedError as problem:
            self.left += 1
            text = f"{file.path} was not brought: {problem}"
            self._report.add(text, {"file": place, "message": str(problem)})
        else:
            self.sent += sent
            self.there += not sent
