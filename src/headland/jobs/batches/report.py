"""The application report: what is known of a run when it is over.

YARN prints one for every application it ran; a batch's log ends with it whatever the cluster kind.
"""

import msgspec

#: Lines are labelled as YARN's client labels them, since people search logs for these words.
_LABELS = (
    ("diagnostics", "diagnostics"),
    ("ApplicationMaster host", "host"),
    ("queue", "queue"),
    ("start time", "start_time"),
    ("final status", "final_status"),
    ("tracking URL", "tracking_url"),
    ("user", "user"),
)


class Report(msgspec.Struct, frozen=True):
    """The report. Unknown values are `N/A`."""

    diagnostics: str
    host: str
    queue: str
    #: Milliseconds since the epoch.
    start_time: int
    #: SUCCEEDED, FAILED or KILLED.
    final_status: str
    tracking_url: str
    user: str
    #: What was done at the end.
    shutdown: tuple[str, ...]

    def lines(self) -> list[str]:
        """The report as log lines: one each label, then the shutdown messages."""
        return [f"\t {label}: {getattr(self, name)}" for label, name in _LABELS] + list(self.shutdown)


def encode(report: Report) -> bytes:
    return msgspec.json.encode(report)


def decode(row: bytes) -> Report:
    return msgspec.json.decode(row, type=Report)
