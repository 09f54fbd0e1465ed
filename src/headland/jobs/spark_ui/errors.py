"""What keeps Spark's pages from being shown, in the job service's form."""

from headland.jobs.batches.errors import BatchError


class NoEventLogError(BatchError):
    """Spark has written nothing to make pages from."""

    status = 404

    def __init__(self, what: str) -> None:
        super().__init__(
            f"Spark has written no event log for {what} on this node: it has not started an application yet, is none "
            "of Spark's, runs its driver on a cluster, or sets spark.eventLog.dir or spark.eventLog.enabled itself."
        )


class HistoryOffError(BatchError):
    """The deployment has no History Server."""

    status = 404

    def __init__(self) -> None:
        super().__init__("Spark's pages are switched off on this deployment (jobs.history_server).")


class HistoryFailedError(BatchError):
    """The History Server does not start, or does not answer."""

    status = 503

    def __init__(self, reason: str) -> None:
        super().__init__(f"Spark's History Server can't be reached: {reason}")


class HistoryBusyError(HistoryFailedError):
    """The History Server takes its time: it is reading a long log, or has just started."""


class NoSuchPageError(BatchError):
    """A path that is none of this application's, or would change something."""

    status = 404

    def __init__(self) -> None:
        super().__init__("There is no such page of this application.")


class SameIdError(BatchError):
    """The History Server tells applications apart by their ids, and is showing another one by this id."""

    status = 409

    def __init__(self, application: str) -> None:
        super().__init__(
            f"Another application by the id {application} is being looked at. Look again once nobody has for a while."
        )
