"""The job service as the pages ask it: batches and sessions, by its own API."""

from collections.abc import Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from typing import Any
from urllib.parse import quote, urlsplit

from msgspec import Struct, field

from headland.jobs.batches.wire import Progress
from headland.jobs.environments.service import CONF
from headland.jobs.environments.wire import (
    Environment,
    EnvironmentDetails,
    EnvironmentList,
    EnvironmentRequest,
)
from headland.portal.inside import Followed, Inside, RefusedError

API = "/livy"

#: States in which nothing happens any more.
FINAL = frozenset({"success", "dead", "killed", "error"})
#: States of batches, for filters.
STATES = ("starting", "running", "success", "dead", "killed")

#: What a state looks like.
KINDS = {
    "running": "calm",
    "busy": "calm",
    "idle": "good",
    "success": "good",
    "dead": "bad",
    "error": "bad",
    "ready": "good",
    "failed": "bad",
    "killed": "",
}

#: The line of a log that says why its batch ended so.
_DIAGNOSTICS = "\t diagnostics: "

#: What is shown of batches beside what Livy tells of them.
_WITH_MORE = {"include": "times,progress"}

#: Bytes of an answer that a page is made of. Lines and statements may each be long.
_LARGEST = 1 << 20

#: Characters of a line of a log that a page shows.
_LONGEST_LINE = 4_096

#: Statements of a session that a page shows, or fewer where those are too long, the last in any case.
_STATEMENTS = (50, 10, 1)


class AppInfo(Struct, rename="camel"):
    """Where to look at a running application."""

    spark_ui_url: str | None = None
    driver_log_url: str | None = None

    @property
    def cluster_url(self) -> str | None:
        """Where a cluster shows it; a UI on this machine is among Spark's pages, which the service itself names."""
        url = self.spark_ui_url
        if url is None or urlsplit(url).path.startswith(f"{API}/"):
            return None
        return None if urlsplit(url).hostname in {"localhost", "127.0.0.1"} else url


class Job(Struct, rename="camel"):
    """A batch or a session."""

    id: int
    name: str | None
    owner: str | None
    proxy_user: str | None
    state: str
    app_id: str | None
    app_info: AppInfo
    kind: str = ""
    #: The last lines of its log, for who may read it.
    log: list[str] = []
    #: Of a batch, where they are asked for: null once it has gone.
    times: "Times | None" = None
    #: Likewise, while it runs, for who may see it.
    progress: Progress | None = None

    @property
    def ended(self) -> bool:
        return self.state in FINAL

    @property
    def diagnostics(self) -> str:
        """Why it ended as it did, by the report that its log ends with; "" where there is nothing to say."""
        found = (line.removeprefix(_DIAGNOSTICS) for line in self.log if line.startswith(_DIAGNOSTICS))
        said = next(found, "").strip()
        return "" if said == "N/A" else said

    @property
    def failed(self) -> bool:
        """Whether it ended though nobody had it ended."""
        return "\t final status: FAILED" in self.log

    @property
    def look(self) -> str:
        return KINDS.get(self.state, "waiting")


class Jobs(Struct):
    """A page of them."""

    total: int
    sessions: list[Job]
    start: int = field(name="from")


class Times(Struct, rename="camel"):
    """When what happened, in milliseconds since 1970."""

    submitted_at: int
    started_at: int | None
    ended_at: int | None


class Log(Struct):
    """A page of log lines."""

    total: int
    log: list[str]
    start: int = field(name="from")


class Statement(Struct):
    """Code that ran in a session."""

    id: int
    code: str
    state: str
    output: dict[str, Any] | None
    progress: float


class Statements(Struct):
    """The last that ran in a session, oldest first, and how many there are in all."""

    total_statements: int
    statements: list[Statement]


class JobService:
    """The job service, with the rights of who is signed in. What it refuses is a RefusedError."""

    def __init__(self, inside: Inside) -> None:
        self._inside = inside

    async def batches(self, query: Mapping[str, str]) -> Jobs:
        """A page of batches, with what a list shows of each."""
        return (await self._inside.call("GET", f"{API}/batches", query={**query, **_WITH_MORE})).of(Jobs)

    async def batch(self, id_: str) -> Job:
        return (await self._inside.call("GET", _path(id_), query=_WITH_MORE)).of(Job)

    async def progress(self, id_: str) -> Progress:
        return (await self._inside.call("GET", f"{_path(id_)}/progress")).of(Progress)

    async def tail(self, id_: str, size: int, kind: str = "batches") -> Log:
        """The last lines of a log: at most `size`, fewer where they are long."""
        path = f"{_path(id_, kind)}/log"
        while (answered := await self._inside.call_within(_LARGEST, path, query={"size": str(size)})) is None:
            size //= 4
        log = answered.of(Log)
        log.log = [_cut(line) for line in log.log]
        return log

    def text(self, id_: str) -> AbstractAsyncContextManager[Followed]:
        """The whole log as it was written, as it comes."""
        query, headers = {"from": "0", "size": "-1"}, {"accept": "text/plain"}
        return self._inside.follow(f"{_path(id_)}/log", query=query, headers=headers)

    async def submit(self, body: Mapping[str, Any], key: str) -> int:
        headers = {"idempotency-key": key} if key else {}
        made = await self._inside.call("POST", f"{API}/batches", body=body, headers=headers)
        return made.of(Job).id

    async def kill(self, id_: str) -> None:
        await self._inside.call("POST", f"{_path(id_)}/kill")

    async def delete(self, id_: str) -> None:
        await self._inside.call("DELETE", _path(id_))

    async def sessions(self, query: Mapping[str, str]) -> Jobs:
        return (await self._inside.call("GET", f"{API}/sessions", query=query)).of(Jobs)

    async def start_session(self, body: Mapping[str, Any]) -> int:
        return (await self._inside.call("POST", f"{API}/sessions", body=body)).of(Job).id

    async def session(self, id_: str) -> Job:
        return (await self._inside.call("GET", _path(id_, "sessions"))).of(Job)

    async def statements(self, id_: str) -> Statements:
        """The last statements, none where the very last is too long to be shown."""
        path = f"{_path(id_, 'sessions')}/statements"
        for size in _STATEMENTS:
            query = {"order": "desc", "size": str(size)}
            answered = await self._inside.call_within(_LARGEST, path, query=query)
            if answered is not None:
                found = answered.of(Statements)
                found.statements.reverse()
                return found
        return (await self._inside.call("GET", path, query={"size": "0"})).of(Statements)

    async def run(self, id_: str, code: str, kind: str = "") -> None:
        body = {"code": code} | ({"kind": kind} if kind else {})
        await self._inside.call("POST", f"{_path(id_, 'sessions')}/statements", body=body)

    async def cancel(self, id_: str, statement: str) -> None:
        path = f"{_path(id_, 'sessions')}/statements/{quote(statement, safe='')}/cancel"
        await self._inside.call("POST", path)

    async def stop(self, id_: str) -> None:
        await self._inside.call("POST", f"{_path(id_, 'sessions')}/stop")

    async def delete_session(self, id_: str) -> None:
        await self._inside.call("DELETE", _path(id_, "sessions"))

    async def environments(self) -> list[Environment]:
        """All of them, the one that comes with Headland first."""
        return (await self._inside.call("GET", f"{API}/environments")).of(EnvironmentList).environments

    async def environments_offered(self) -> list[Environment]:
        """What a form has to choose from: nothing for who may not look."""
        try:
            return await self.environments()
        except RefusedError:
            return []

    async def environment(self, name: str) -> EnvironmentDetails:
        return (await self._inside.call("GET", _path(name, "environments"))).of(EnvironmentDetails)

    async def make_environment(self, wanted: EnvironmentRequest) -> None:
        await self._inside.call("POST", f"{API}/environments", body=wanted)

    async def remove_environment(self, name: str) -> None:
        await self._inside.call("DELETE", _path(name, "environments"))


def as_asked(
    form: Mapping[str, str], texts: Sequence[str], numbers: Sequence[str], lists: Sequence[str]
) -> dict[str, Any]:
    """What a form's fields ask the API for; what is left empty is left out.

    Raises:
        RefusedError: the environment that is chosen is not the one that the configuration names.
    """
    asked: dict[str, Any] = {
        api_name(name): form[name].strip() for name in texts if form.get(name, "").strip()
    }
    for name in numbers:
        if text := form.get(name, "").strip():
            asked[api_name(name)] = (
                int(text) if text.isascii() and text.isdigit() and len(text) < 10 else text
            )
    for name in lists:
        if lines := [line for line in form.get(name, "").split("\n") if line.strip()]:
            asked[api_name(name)] = lines
    if pairs := [line.partition("=") for line in form.get("conf", "").split("\n") if line.strip()]:
        asked["conf"] = {name.strip(): value.strip() for name, _, value in pairs}
    if chosen := form.get("environment", ""):
        conf = asked.setdefault("conf", {})
        if conf.setdefault(CONF, chosen) != chosen:
            raise RefusedError(
                400, "", f"conf['{CONF}']: is another one than the environment that is chosen."
            )
    return asked


def is_about_environment(problem: str, form: Mapping[str, str]) -> bool:
    """Whether a refusal is about the environment that a form has chosen."""
    return CONF in problem and bool(form.get("environment"))


def api_name(field: str) -> str:
    """What the API calls a form's field."""
    first, *others = field.split("_")
    return first + "".join(map(str.capitalize, others))


def _cut(line: str) -> str:
    return line if len(line) <= _LONGEST_LINE else f"{line[:_LONGEST_LINE]} [{len(line)} characters]"


def _path(id_: str, kind: str = "batches") -> str:
    return f"{API}/{kind}/{quote(id_, safe='')}"
