"""Archives and files that a session is given while it is up."""

import asyncio
import shutil
from collections.abc import AsyncIterator
from pathlib import Path, PurePosixPath

from headland.http.bodies import too_large
from headland.http.forms import Part, read_form
from headland.jobs.batches.access import Caller, Right
from headland.jobs.batches.errors import BatchError, RejectedError
from headland.jobs.batches.paths import local_path
from headland.jobs.sessions.errors import InactiveError, NoUploadError
from headland.jobs.sessions.run_folder import SessionFolder
from headland.jobs.sessions.service import Sessions
from headland.jobs.sessions.statements import Statements
from headland.storage import StorageError

#: Bytes of a form besides its file.
_MOST_TEXT = 65_536


class Additions:
    """Give sessions what clients name or send."""

    def __init__(self, sessions: Sessions, statements: Statements) -> None:
        self._sessions = sessions
        self._statements = statements
        self._paths = sessions.paths

    async def add(self, reference: int | str, what: str, url: str, caller: Caller) -> None:
        """Give a session the `jar`, `pyfile` or `file` at a URL.

        Raises:
            BatchError: the URL is not allowed or nothing is there, or the application does not take it.
        """
        row = self._sessions.find(reference, caller, Right.MODIFY)
        if row.finished_at is not None:
            raise InactiveError
        try:
            self._paths.check(url)
            blob = self._paths.blob(url)
        except RejectedError as error:
            # Livy has another wording here than for what a session begins with.
            raise BatchError(error.message.removeprefix("Rejected, Reason: ")) from None
        path = local_path(url) or url
        if blob is not None:
            target = new_place(self._sessions.folder(row), blob.name)
            try:
                await self._paths.storage.download(blob, target)
            except StorageError as error:
                raise BatchError(str(error)) from None
            path = str(target)
        await self._statements.add(row, what, path)

    async def upload(
        self, reference: int | str, what: str, body: AsyncIterator[bytes], boundary: str, caller: Caller
    ) -> None:
        """Give a session the `jar`, `pyfile` or `file` that comes as a form's file.

        Raises:
            BatchError: the form has none, it is too long, or the application does not take it.
            BodyError: it is no form.
        """
        row = self._sessions.find(reference, caller, Right.MODIFY)
        if row.finished_at is not None:
            raise InactiveError
        part = "jar" if what == "jar" else "file"
        place = None

        async def take(head: Part, data: AsyncIterator[bytes]) -> None:
            nonlocal place
            place = new_place(self._sessions.folder(row), head.file_name or part)
            await self._receive(place, data)

        try:
            await read_form(body, boundary, _MOST_TEXT, take, part)
            if place is not None:
                await self._statements.add(row, what, str(place))
        except BaseException:
            if place is not None:
                await asyncio.to_thread(shutil.rmtree, place.parent, ignore_errors=True)
            raise
        if place is None:
            raise NoUploadError(part)

    async def _receive(self, target: Path, data: AsyncIterator[bytes]) -> None:
        """Write what comes, at most as much as is allowed."""
        left = self._sessions.settings.max_upload
        with target.open("xb") as file:
            async for piece in data:
                left -= len(piece)
                if left < 0:
                    limit = self._sessions.settings.max_upload
                    raise too_large(limit, "jobs.max_upload", "file")
                await asyncio.to_thread(file.write, piece)


def new_place(folder: SessionFolder, name: str) -> Path:
    """A path in a session's folder for something called `name`, in a folder of its own: names may be the same."""
    place = folder.new_upload()
    place.mkdir(mode=0o700, parents=True)
    return place / (PurePosixPath(name).name or "file")
