"""Archives and files that a session is given while it is up."""

import secrets
from pathlib import Path, PurePosixPath

from headland.jobs.batches.access import Caller, Right
from headland.jobs.batches.errors import BatchError, RejectedError
from headland.jobs.batches.paths import local_path
from headland.jobs.sessions.errors import InactiveError
from headland.jobs.sessions.run_folder import SessionFolder
from headland.jobs.sessions.service import Sessions
from headland.jobs.sessions.statements import Statements
from headland.storage import StorageError


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


def new_place(folder: SessionFolder, name: str) -> Path:
    """A path in a session's folder for something called `name`, in a folder of its own: names may be the same."""
    place = folder.uploads / secrets.token_hex(8)
    place.mkdir(mode=0o700, parents=True)
    return place / (PurePosixPath(name).name or "file")
