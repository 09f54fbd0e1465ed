"""What Spark's pages are made from, and where clients find them."""

from dataclasses import dataclass
from pathlib import Path

import msgspec

from headland.jobs.batches.wire import AppInfo
from headland.jobs.clusters.cluster import kind_of
from headland.jobs.clusters.local import LOCAL


@dataclass(frozen=True, slots=True)
class Run:
    """A batch or session, for whoever may view it."""

    #: In words: `batch 7`.
    name: str
    #: The folder of its event logs.
    events: Path
    #: Where its driver's own UI is, while it has one.
    ui: str | None


class KnownInfo(AppInfo, frozen=True, rename="camel"):
    """An `AppInfo` as a row keeps it."""

    #: Where this node finds the driver's own UI; in rows that don't say so, where clients do.
    driver_ui: str | msgspec.UnsetType | None = msgspec.UNSET


def running_info(item: str, master: str, ui: str | None, *, application: bool) -> bytes:
    """The info of a batch or session that runs.

    Args:
        item: its address.
        ui: its driver's own UI, as far as this node is concerned.
        application: whether Spark has an application of it by now, so that there are pages.
    """
    shown = ui
    if kind_of(master) is LOCAL:
        # Such a driver listens on this machine alone; the service shows its pages to whoever may see them.
        shown = f"{item}/spark" if application else None
    return msgspec.json.encode(KnownInfo(driver_log_url=f"{item}/log", spark_ui_url=shown, driver_ui=ui))


def driver_ui(info: bytes | None) -> str | None:
    """The driver's own UI, by what a row keeps."""
    known = msgspec.json.decode(info, type=KnownInfo) if info else KnownInfo()
    return known.spark_ui_url if isinstance(known.driver_ui, msgspec.UnsetType) else known.driver_ui
