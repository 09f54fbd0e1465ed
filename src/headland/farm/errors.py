"""Errors of the farm service: each with its status and code, in the public service's words where they are known."""

from collections.abc import Sequence


class FarmError(Exception):
    """An error with a status and a code."""

    status = 400
    code = "InvalidInput"

    def __init__(self, message: str, target: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        #: The field or parameter that is meant.
        self.target = target


class GeometryTooComplexError(FarmError):
    """A geometry takes more memory or time than a request may."""

    code = "GeometryTooComplex"

    def __init__(self, field: str) -> None:
        super().__init__(
            "The geometry takes more memory or time than a request may: it has too many parts or edges that cross or "
            "lie close together. Simplify it, or cut it in several.",
            field,
        )


class InvalidInputError(FarmError):
    """A path, parameter, header or body has what it can't have."""

    def __init__(self, message: str, target: str | None = None) -> None:
        # Most clients show their user the message alone.
        super().__init__(message if target is None else f"{target}: {message}", target)


class UnspecifiedVersionError(FarmError):
    """`api-version` is not there."""

    code = "MissingApiVersionParameter"

    def __init__(self) -> None:
        super().__init__("The query parameter 'api-version' is required for all requests.", "api-version")


class UnsupportedVersionError(FarmError):
    """`api-version` names one that is not served here."""

    code = "UnsupportedApiVersionValue"

    def __init__(self, version: str, served: Sequence[str]) -> None:
        super().__init__(
            f"The api-version '{version[:80]}' is not supported; supported are {', '.join(served)}.",
            "api-version",
        )


class ForbiddenError(FarmError):
    """No role of the caller's allows it."""

    status = 403
    code = "AuthorizationFailed"

    def __init__(self, client_id: str, object_id: str, action: str, scope: str) -> None:
        super().__init__(
            f"The client '{client_id}' with object id '{object_id}' does not have authorization to perform "
            f"action '{action}' over scope '{scope}'."
        )


class InstanceNotFoundError(FarmError):
    """No instance has this name."""

    status = 404
    code = "ResourceNotFound"

    def __init__(self, name: str) -> None:
        super().__init__(f"Instance '{name[:80]}' does not exist.")


class InstanceNotReadyError(FarmError):
    """The instance is being deployed: 503, and the caller may try again."""

    status = 503
    code = "InstanceNotReady"

    def __init__(self, name: str, state: str) -> None:
        super().__init__(f"Instance '{name}' is not ready: its state is {state}.")


class InstanceUnusableError(FarmError):
    """The instance has no store, and gets none by waiting."""

    status = 409
    code = "InstanceNotReady"

    def __init__(self, name: str, state: str) -> None:
        super().__init__(f"Instance '{name}' can't be used: its state is {state}.")


class ResourceNotFoundError(FarmError):
    """There is no such document."""

    status = 404
    code = "ResourceNotFound"

    def __init__(self, kind: str, document_id: str, member: str | None = None) -> None:
        named = f"{member}: " if member else ""
        super().__init__(f"{named}Resource '{kind}' with id '{document_id}' does not exist.", member)


class UnknownFamilyError(FarmError):
    """The version has no resources that are called so."""

    status = 404
    code = "ResourceNotFound"

    def __init__(self, name: str, known: Sequence[str]) -> None:
        super().__init__(f"No resources are called '{name[:80]}'; there are {', '.join(known)}.", "family")


class ResourceExistsError(FarmError):
    """There is such a document already."""

    status = 409
    code = "ResourceExists"

    def __init__(self, kind: str, document_id: str) -> None:
        super().__init__(f"Resource '{kind}' with id '{document_id}' exists already.")


class ResourceInUseError(FarmError):
    """A document can't be deleted while others refer to it."""

    status = 409
    code = "ResourceInUse"

    def __init__(self, kind: str, document_id: str, user_kind: str, user_id: str) -> None:
        super().__init__(
            f"Resource '{kind}' with id '{document_id}' can't be deleted while '{user_kind}' with id "
            f"'{user_id}' is linked to it."
        )


class ResourceGoingError(FarmError):
    """A document can't be written while a job is about to delete it, or what it would be linked to."""

    status = 409
    code = "ResourceBeingDeleted"

    def __init__(self, kind: str, document_id: str, member: str | None = None) -> None:
        super().__init__(
            f"Resource '{kind}' with id '{document_id}' is being deleted with all that is linked to it.",
            member,
        )


class JobExistsError(FarmError):
    """A job's id was used for other work; ids are never used again."""

    status = 409
    code = "JobAlreadyExists"

    def __init__(self, job_id: str) -> None:
        super().__init__(
            f"The job id '{job_id}' was used by another request; choose one that was not.", "jobId"
        )


class ResourceElsewhereError(FarmError):
    """A document has this id, but is not where the request wants it."""

    status = 409
    code = "ResourceAlreadyExists"

    def __init__(self, kind: str, document_id: str, parent_kind: str) -> None:
        super().__init__(f"Resource '{kind}' with id '{document_id}' exists below another '{parent_kind}'.")


class ThrottledError(FarmError):
    """The instance's requests have used as much as they may in a while."""

    status = 429
    code = "TooManyRequests"

    def __init__(self, limit: int, window: int, wait: int) -> None:
        super().__init__(
            f"The instance's requests may use {limit} units in {window} seconds, and have; try again in {wait} s."
        )
        #: Seconds until there is room again.
        self.wait = wait


class WorkersBusyError(FarmError):
    """The caller's large geometries that wait to be looked at are as many as may."""

    status = 429
    code = "TooManyRequests"

    #: Seconds until there may be room again.
    wait = 5

    def __init__(self) -> None:
        super().__init__("Too many large geometries of this caller's wait to be looked at; try again later.")


class ResourceConflictError(FarmError):
    """A document wants to be what only one can be, and another one is."""

    status = 409
    code = "ResourceConflict"

    def __init__(self, kind: str, document_id: str, other_id: str, member: str) -> None:
        super().__init__(
            f"Resource '{kind}' with id '{document_id}' can't have '{member}' while that with id '{other_id}' has it.",
            member,
        )


class PreconditionError(FarmError):
    """The document is not in the state that the caller supposed."""

    status = 412
    code = "PreconditionFailed"

    def __init__(self, header: str, etag: str | None) -> None:
        found = f"its eTag is {etag}" if etag else "it does not exist"
        super().__init__(
            f"The condition of header '{header}' does not hold for the resource: {found}.", header
        )


class UnsatisfiableRangeError(FarmError):
    """No part of the file lies in the range that was asked for."""

    status = 416
    code = "RangeNotSatisfiable"

    def __init__(self, message: str, content_range: str) -> None:
        super().__init__(message, "Range")
        self.content_range = content_range


class NotServedError(FarmError):
    """The public service has such operations, and Headland has not. No client tries that again by itself."""

    status = 501
    code = "NotImplemented"

    def __init__(self, group: str) -> None:
        super().__init__(f"Headland has no operations of the group '{group}'.")


class UnsupportedMediaTypeError(FarmError):
    """The body is said to be of a type that the operation does not take."""

    status = 415
    code = "UnsupportedMediaType"
