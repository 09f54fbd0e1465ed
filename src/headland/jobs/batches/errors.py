"""Errors of the batch API: each with its status and Livy's text (`livy.md` section 0.2)."""


class BatchError(Exception):
    """An error with a status; the message goes into `{"msg": …}`."""

    status = 400

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.message = message


class RejectedError(BatchError):
    """A submission is refused. Nothing of it is kept."""

    def __init__(self, reason: str) -> None:
        super().__init__(f"Rejected, Reason: {reason}")


class RequirementError(RejectedError):
    """A submission lacks something or has it wrong, in Livy's wording for such."""

    def __init__(self, reason: str) -> None:
        super().__init__(f"requirement failed: {reason}")


class BadNumberError(BatchError):
    """A path segment or query parameter is not a 32-bit integer."""

    def __init__(self, text: str) -> None:
        super().__init__(f'For input string: "{text}"')


class NotFoundError(BatchError):
    """There is no such batch; Livy calls it a session even here."""

    status = 404

    def __init__(self, reference: str) -> None:
        super().__init__(f"Session '{reference}' not found.")


class AlreadyStoppedError(BatchError):
    """Somebody else deleted the batch at the same time."""

    status = 404

    def __init__(self, batch_id: int) -> None:
        super().__init__(f"Session {batch_id} already stopped.")


class MissingHeaderError(BatchError):
    """`X-Requested-By` is not there, or empty."""

    def __init__(self) -> None:
        super().__init__("Missing Required Header for CSRF protection: X-Requested-By.")


class UnsupportedMediaTypeError(BatchError):
    """The body is said to be something other than JSON."""

    status = 415


class NotAcceptableError(BatchError):
    """`Accept` names a version of the protocol that there is not."""

    status = 406


class AlreadyEndedError(BatchError):
    """A batch that has ended can't be killed."""

    status = 409


class StillEndingError(BatchError):
    """A batch is being killed, and has not ended yet."""

    status = 503


class TooManyFollowersError(BatchError):
    """As many logs are followed as a worker process serves at once."""

    status = 503


class BadParameterError(BatchError):
    """A query parameter has a value that it can't have."""

    def __init__(self, name: str, problem: str) -> None:
        super().__init__(f"{name} {problem}.")


class NotAuthorisedError(BatchError):
    """The caller is not on the list of those who may use the job service."""

    status = 403

    def __init__(self) -> None:
        super().__init__("User not authorised to use Livy.")


class ImpersonationError(BatchError):
    """The caller may not act for the user whom it names. `Some(…)` is part of Livy's text."""

    status = 403

    def __init__(self, user: str, target: str) -> None:
        super().__init__(f"User '{user}' not allowed to impersonate 'Some({target})'.")


class NotAllowedError(BatchError):
    """The caller lacks a right to a batch or session of somebody else."""

    status = 403

    def __init__(self, user: str, right: str, what: str) -> None:
        super().__init__(f"User '{user}' is not allowed to {right} {what}.")


class BadKeyError(BatchError):
    """`Idempotency-Key` is malformed."""

    def __init__(self, problem: str) -> None:
        super().__init__(f"Idempotency-Key {problem}.")


class KeyReusedError(BatchError):
    """A key was sent before, with another submission."""

    status = 422

    def __init__(self, key: str, batch_id: int) -> None:
        super().__init__(
            f"Idempotency-Key '{key}' was sent before with another submission, which is batch {batch_id}; "
            "a new submission needs a new key."
        )


class KeyOfGoneBatchError(BatchError):
    """The batch that was made under a key has been deleted; it must not run again."""

    status = 409

    def __init__(self, key: str, batch_id: int) -> None:
        super().__init__(
            f"Idempotency-Key '{key}' was sent before for batch {batch_id}, which has been deleted since; "
            "to run it again, send it with a new key."
        )
