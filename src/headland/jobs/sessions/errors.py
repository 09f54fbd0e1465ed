"""Errors of the session API that batches have none of, each with its status and Livy's text."""

from headland.jobs.batches.errors import BatchError


class NotUpError(BatchError):
    """A statement for a session that takes none. 500 as Livy has it: clients repeat what gets that."""

    status = 500

    def __init__(self, state: str) -> None:
        super().__init__(f"java.lang.IllegalStateException: Session is in state {state}")


class InactiveError(BatchError):
    """Something that only a session that is up can do."""

    def __init__(self) -> None:
        super().__init__("requirement failed: Session isn't active.")


class StatementNotFoundError(BatchError):
    """There is no such statement."""

    status = 404

    def __init__(self) -> None:
        super().__init__("Statement not found")


class JobNotFoundError(BatchError):
    """There is no such job."""

    status = 404

    def __init__(self, number: int) -> None:
        super().__init__(f"Job {number} not found")


class NoJobError(BatchError):
    """A job that is none. Livy's wording."""

    def __init__(self, problem: str = "no job provided.") -> None:
        super().__init__(f"requirement failed: {problem}")


class BadKindError(BatchError):
    """A kind that there is not, or that can't be had here."""

    def __init__(self, kind: str, reason: str = "") -> None:
        super().__init__(f"Invalid kind: {kind[:80]}" + (f": {reason}" if reason else ""))


class JournalError(BatchError):
    """A statement can't be put on record, so that it is not run."""

    status = 503


class NotServedError(BatchError):
    """A part of Livy's protocol that is not served here."""

    status = 501


class AddFailedError(BatchError):
    """The application does not take what it was given."""


class NoUploadError(BatchError):
    """A form without the part that is asked for."""

    def __init__(self, part: str) -> None:
        super().__init__(f"No {part} sent!")
