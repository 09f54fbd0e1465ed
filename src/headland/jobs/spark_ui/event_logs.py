"""Event logs of a run, and the links by which the History Server finds those that somebody looks at.

It reads one folder. Links in it, and no copies, are all it gets: with a run directory goes what there is to show of it.
"""

import os
import re
import stat
from dataclasses import dataclass
from pathlib import Path

from headland.jobs.spark_ui.errors import SameIdError

#: Names that Spark gives (`org.apache.spark.deploy.history.EventLogFileWriter`): a file, or where logs are rolled a
#: folder, with the application's id, how it is compressed, and that the application is at work.
_NAME = re.compile(
    r"(?:eventlog_v2_)?(?P<id>[A-Za-z0-9_-]+)(?:\.(?:lz4|lzf|snappy|zstd))?(?:\.inprogress)?", re.ASCII
)


@dataclass(frozen=True, slots=True)
class EventLog:
    """The log of one application."""

    path: Path
    application: str


def event_logs(events: Path) -> list[EventLog]:
    """Those in the folder `events` of a run, the newest last: a program may start one application after another. The
    folder is the job's to write: what is or has a link, or is no file, is no log.
    """
    try:
        found = sorted(filter(_is_plain, events.iterdir()), key=lambda path: path.lstat().st_mtime_ns)
    except OSError:
        return []
    names = [(path, _NAME.fullmatch(path.name)) for path in found]
    return [EventLog(path, name["id"]) for path, name in names if name is not None]


def _is_plain(path: Path) -> bool:
    mode = path.lstat().st_mode
    return stat.S_ISREG(mode) or (
        stat.S_ISDIR(mode) and all(stat.S_ISREG(part.lstat().st_mode) for part in path.iterdir())
    )


def link(logs: Path, wanted: list[EventLog]) -> None:
    """Have `logs`, the History Server's folder, lead to those that are `wanted`.

    Raises:
        SameIdError: it leads to another run's log of the same application id.
    """
    for log in wanted:
        for name in os.listdir(logs):  # noqa: PTH208 - names are what is looked for
            other = _NAME.fullmatch(name)
            if other is None or other["id"] != log.application:
                continue
            place = logs / name
            if not place.exists():
                # Spark takes the ending away when the application stops.
                place.unlink(missing_ok=True)
            elif place.readlink().parent != log.path.parent:
                raise SameIdError(log.application)
        try:
            (logs / log.path.name).symlink_to(log.path)
        except FileExistsError:
            continue
