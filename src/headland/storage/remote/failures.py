"""What a remote store's errors mean, in words that hold no credential.

obstore's own messages go on for pages, repeat the server's answer (in which Azure and S3 echo signatures and
key ids) and the request's address (in which a shared access signature stands). Taken from them are the
status, the server's error code and the last of the causes, and nothing else.
"""

import re
from collections.abc import Iterator
from contextlib import contextmanager

from obstore.exceptions import BaseError, PermissionDeniedError, UnauthenticatedError

from headland.storage.accounts import AccountPlace
from headland.storage.errors import (
    BlobNotFoundError,
    StorageDeniedError,
    StorageError,
    StorageUnavailableError,
)
from headland.storage.names import printable

_STATUS = re.compile(r"status code: (\d{3})")
_CODE = re.compile(r"<Code>(\w{1,64})</Code>")
_KIND = re.compile(r"HttpError \{\s*kind: (\w{1,32})")

#: Options that a message may repeat.
_HARMLESS = frozenset({"endpoint", "aws_endpoint", "region", "aws_region", "timeout", "connect_timeout"})


@contextmanager
def remote_errors(place: AccountPlace, shown: object, container: str) -> Iterator[None]:
    """Turn an error of obstore inside into the StorageError it amounts to."""
    try:
        yield
    except (BaseError, OSError, ValueError) as error:
        # Not chained: the original's text must not reach a log by way of a traceback either.
        raise _translate(error, place, shown, container) from None


def _translate(error: Exception, place: AccountPlace, shown: object, container: str) -> StorageError:
    text, _, details = str(error).partition("Debug source")
    status = next(iter(_STATUS.findall(text)), None)
    code = next(iter(_CODE.findall(text)), None)
    if code == "NoSuchBucket":
        return StorageUnavailableError(place.name, f"it has no bucket '{place.location}'")
    if code == "ContainerNotFound":
        return BlobNotFoundError(f"'{container}' in account '{place.name}'", "container")
    if status == "404" or isinstance(error, FileNotFoundError):
        return BlobNotFoundError(shown)
    answer = f"its store answered {status}" + (f" ({code})" if code else "")
    if status in {"401", "403"} or isinstance(error, PermissionDeniedError | UnauthenticatedError):
        return StorageDeniedError(place.name, answer if status else _last_cause(text, details, place))
    return StorageUnavailableError(place.name, answer if status else _last_cause(text, details, place))


def _last_cause(text: str, details: str, place: AccountPlace) -> str:
    cause = " ".join(text.split()).rpartition(" - ")[2]
    kind = _KIND.search(details)
    if kind:
        cause += f" ({kind[1]})"
    if "builder error" in cause:
        cause += "; an endpoint with http:// needs the option allow_http"
    for name, value in place.options.items():
        if name not in _HARMLESS and value:
            cause = cause.replace(value, "***")
    return printable(re.sub(r"\?[^\s\"')]+", "?…", cause))
