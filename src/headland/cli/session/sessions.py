"""Sessions and their statements, as commands use them: Livy's protocol."""

from functools import partial
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from msgspec import Struct

from headland.cli.documents import view
from headland.cli.errors import CliError, not_found
from headland.cli.livy import Job
from headland.cli.polling import Polling

if TYPE_CHECKING:
    from headland.cli.service import Service

#: Kinds of sessions, and those of statements.
KINDS, LANGUAGES = ("pyspark", "spark", "sql", "shared"), ("pyspark", "spark", "sql")

#: States in which a session takes statements.
UP = frozenset({"idle", "busy", "error"})

#: States before those.
_COMING = frozenset({"not_started", "starting", "recovering"})


class Statement(Struct):
    """What commands need of a statement. Times are milliseconds since 1970, 0 for not yet."""

    id: int
    code: str
    state: str
    output: dict[str, Any] | None = None
    progress: float = 0.0
    started: int = 0
    completed: int = 0

    @property
    def over(self) -> bool:
        return self.state in {"available", "cancelled"}


class StatementPage(Struct):
    """Some statements, and how many there are in all."""

    total_statements: int
    statements: list[Statement]


class Sessions:
    """Sessions, by number or name."""

    def __init__(self, service: "Service") -> None:
        self._service = service
        self._sessions = "/sessions" if service.profile.private else "/livy/sessions"

    def create(self, request: dict[str, Any]) -> dict[str, Any]:
        """The session made of `request`, in Livy's words."""
        return self._service.document("POST", self._sessions, body=request)

    def page(self, start: int, size: int) -> dict[str, Any]:
        """Sessions `[start, start + size)`, oldest first."""
        return self._service.document("GET", self._sessions, query={"from": start, "size": size})

    def session(self, id_: str) -> dict[str, Any]:
        """The session."""
        return self._one("GET", id_)

    def state(self, id_: str) -> Job:
        """The session's number and state."""
        return view(self._one("GET", id_, "/state"), Job)

    def log(self, id_: str, start: int | None, size: int) -> dict[str, Any]:
        """Lines `[start, start + size)` of the log; the last `size` where there is no `start`."""
        return self._one("GET", id_, "/log", query={"from": start, "size": size})

    def stop(self, id_: str) -> None:
        """End it and keep its record."""
        self._service.call("POST", self._path(id_, "/stop"), missing=_missing(id_))

    def delete(self, id_: str) -> dict[str, Any]:
        """End it, and remove it."""
        return self._one("DELETE", id_)

    def submit(self, id_: str, code: str, kind: str | None) -> dict[str, Any]:
        """A statement made of `code`."""
        body = {"code": code} | ({"kind": kind} if kind else {})
        return self._one("POST", id_, "/statements", body=body)

    def statements(self, id_: str, start: int, size: int | None, *, newest_first: bool) -> dict[str, Any]:
        """Statements `[start, start + size)`; all from there on where there is no `size`."""
        query = {"from": start, "size": size, "order": "desc" if newest_first else None}
        return self._one("GET", id_, "/statements", query=query)

    def statement(self, id_: str, number: int) -> dict[str, Any]:
        """One statement."""
        missing = not_found(f"statement {number} in session '{id_}'", f"session statements {id_}")
        return self._service.document("GET", self._path(id_, f"/statements/{number}"), missing=missing)

    def cancel(self, id_: str, number: int) -> dict[str, Any]:
        """Stop a statement."""
        return self._one("POST", id_, f"/statements/{number}/cancel")

    def _one(self, method: str, id_: str, below: str = "", **request: Any) -> dict[str, Any]:
        return self._service.document(method, self._path(id_, below), missing=_missing(id_), **request)

    def _path(self, id_: str, below: str) -> str:
        return f"{self._sessions}/{quote(id_, safe='')}{below}"


def when_up(sessions: Sessions, id_: str, polling: Polling) -> str:
    """The number of a session, once it takes statements. A name may come to mean another session meanwhile.

    Raises:
        CliError: it has ended, or as `Polling.ask` has it.
    """
    while True:
        found = polling.ask(partial(sessions.state, id_))
        id_ = str(found.id)
        if found.state in UP:
            return id_
        if found.state not in _COMING:
            raise CliError(f"session {id_} is {found.state}", f"`headland session log {id_}` tells why")
        polling.pause()


def _missing(id_: str) -> CliError:
    return not_found(f"session '{id_}'", "session list")
