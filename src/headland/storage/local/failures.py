"""What an operating system's error means for storage."""

import errno
from collections.abc import Iterator
from contextlib import contextmanager

from headland.storage.errors import (
    BlobNotFoundError,
    StorageDeniedError,
    StorageUnavailableError,
    StorageUrlError,
)


@contextmanager
def storage_errors(account: str, shown: object, what: str = "blob") -> Iterator[None]:
    """Turn an OSError inside into the StorageError it amounts to; `what` is what `shown` names."""
    try:
        yield
    except (FileNotFoundError, NotADirectoryError):
        raise BlobNotFoundError(shown, what) from None
    except PermissionError as error:
        raise StorageDeniedError(account, f"{shown}: {error.strerror}") from error
    except OSError as error:
        if error.errno == errno.ELOOP:
            # A link was made here since its target was looked up, or it goes in circles.
            raise BlobNotFoundError(shown, what) from None
        if error.errno == errno.ENAMETOOLONG:
            raise StorageUrlError(str(shown), "a name in it is too long for this account") from None
        raise StorageUnavailableError(account, f"{shown}: {error.strerror}") from error
