"""Which of Spark's pages somebody gets who may view a run: those of its own applications, and none that change them."""

import asyncio
from collections.abc import Mapping
from urllib.parse import urlsplit

from headland.jobs.spark_ui.asking import Answered, Source, ask
from headland.jobs.spark_ui.errors import NoEventLogError, NoSuchPageError
from headland.jobs.spark_ui.event_logs import EventLog, event_logs
from headland.jobs.spark_ui.run import Run
from headland.jobs.spark_ui.server import Address, HistoryServer

#: What the paths of a driver's own UI begin with here.
LIVE = "live"

#: Hosts on which a driver's own UI is reached: what a log says of others leads anywhere.
_HERE = frozenset({"127.0.0.1", "localhost"})


class SparkPages:
    """Spark's pages of runs."""

    def __init__(self, history: HistoryServer) -> None:
        self._history = history

    async def first(self, run: Run) -> str | None:
        """The path of the page to begin with; None while it is being prepared.

        Raises:
            NoEventLogError: there is nothing to show.
            BatchError: it can't be shown.
        """
        if _live(run) is not None:
            return f"{LIVE}/jobs/"
        logs = await asyncio.to_thread(event_logs, run.events)
        if not logs:
            raise NoEventLogError(run.name)
        address = await self._ready(logs)
        if address is None:
            return None
        application = logs[-1].application
        answer = await ask(
            Source(address.url, "", address.token), f"api/v1/applications/{application}", "", {}
        )
        async for _ in answer.body:
            pass
        return f"history/{application}/jobs/" if answer.status == 200 else None

    async def page(
        self, run: Run, path: str, query: str, headers: Mapping[str, str], base: str
    ) -> Answered | None:
        """What Spark has at `path`; None while it is being prepared. `base` is what callers' paths have before it.

        Raises:
            NoSuchPageError: there is no such page of the run's.
            BatchError: it can't be shown.
        """
        segments = path.split("/")
        if "kill" in segments or any(segment in {".", ".."} for segment in segments):
            raise NoSuchPageError
        if segments[0] == LIVE:
            ui = _live(run)
            if ui is None:
                raise NoSuchPageError
            return await ask(
                Source(ui, f"{base}/{LIVE}"), path.removeprefix(LIVE).lstrip("/"), query, headers
            )
        logs = await asyncio.to_thread(event_logs, run.events)
        if not _is_own(segments, {log.application for log in logs}):
            raise NoSuchPageError
        address = await self._ready(logs)
        if address is None:
            return None
        return await ask(Source(address.url, base, address.token), path, query, headers)

    async def _ready(self, logs: list[EventLog]) -> Address | None:
        address = await asyncio.to_thread(self._history.address)
        if address is not None:
            await asyncio.to_thread(self._history.show, logs)
        return address


def _live(run: Run) -> str | None:
    """The driver's own UI, if it is on this machine."""
    if run.ui is None:
        return None
    parts = urlsplit(run.ui)
    return f"http://127.0.0.1:{parts.port}" if parts.hostname in _HERE and parts.port else None


def _is_own(segments: list[str], applications: set[str]) -> bool:
    match segments:
        case ["static", *_] | ["api", "v1", "version"]:
            return True
        case ["history", application, *_] | ["api", "v1", "applications", application, *_]:
            return application in applications
        case _:
            return False
