"""What can go wrong with storage: each error's message names the URL or account, `status` is HTTP's word for it.

No message holds a credential: those that repeat a remote store's words go through `remote.failures` first.
"""

from collections.abc import Sequence
from typing import ClassVar


class StorageError(Exception):
    """A request to storage can't be served. The message is for the caller."""

    status: ClassVar[int] = 503


class StorageUrlError(StorageError):
    """A storage URL, or the part of one, is malformed."""

    status = 400

    def __init__(self, url: str, problem: str) -> None:
        super().__init__(f"{url}: {problem}")


class ParameterError(StorageError):
    """A query parameter or header of a request is wrong; the message names it."""

    status = 400


class UploadCutShortError(StorageError):
    """A request's body ended before the length it had declared; nothing was stored."""

    status = 400

    def __init__(self, url: object, declared: int, received: int) -> None:
        super().__init__(f"{url}: the body ended after {received} of the {declared} bytes it declared.")


class UploadIncompleteError(StorageError):
    """An upload in parts has not the size that its client believes; nothing was stored."""

    status = 409

    def __init__(self, url: object, declared: int, received: int) -> None:
        super().__init__(f"{url}: {received} of the {declared} bytes of the upload have arrived.")


class UnknownAccountError(StorageError):
    """A URL names a storage account that the settings don't have."""

    status = 404

    def __init__(self, account: str, known: Sequence[str]) -> None:
        super().__init__(f"There is no storage account '{account}' here. Known are: {', '.join(known)}.")


class BlobNotFoundError(StorageError):
    """There is no such blob or container."""

    status = 404

    def __init__(self, url: object, what: str = "blob") -> None:
        super().__init__(f"There is no {what} {url}.")


class NotABlobError(StorageError):
    """The name is taken by something that is no blob: a folder, a device, a link that leads nowhere."""

    status = 404

    def __init__(self, url: object, what: str) -> None:
        super().__init__(f"{url} is {what}, not a blob.")


class BlobOutsideAccountError(StorageError):
    """A symbolic link on the way leads out of the account."""

    status = 409

    def __init__(self, url: object) -> None:
        super().__init__(f"{url} leads out of its storage account by a symbolic link, which is not followed.")


class BlobConflictError(StorageError):
    """A blob can't be stored by this name, since something else has it or part of it."""

    status = 409

    def __init__(self, url: object, problem: str) -> None:
        super().__init__(f"{url} can't be stored: {problem}.")


class BlobExistsError(StorageError):
    """Something has the name already, and was not to be replaced."""

    status = 412

    def __init__(self, url: object) -> None:
        super().__init__(f"{url} is there already.")


class BlobChangedError(StorageError):
    """A blob is no longer what the caller knew."""

    status = 412

    def __init__(self, url: object) -> None:
        super().__init__(f"{url} has changed since.")


class FolderNotEmptyError(StorageError):
    """A folder has something in it, and was to be removed or replaced only if it has not."""

    status = 409

    def __init__(self, url: object) -> None:
        super().__init__(f"{url} is a folder that is not empty.")


class BlobTooLargeError(StorageError):
    """An upload is larger than the limit; nothing of it was kept."""

    status = 413

    def __init__(self, url: object, limit: int) -> None:
        super().__init__(
            f"{url} can't be stored: it is larger than the {limit} bytes that storage.max_upload allows."
        )


class StorageUnavailableError(StorageError):
    """An account's store can't be reached, or can't do what was asked now; the call may be repeated."""

    status = 503

    def __init__(self, account: str, cause: str) -> None:
        super().__init__(f"Storage account '{account}' is not available: {cause.rstrip('.')}.")
        self.account = account


class StorageDeniedError(StorageUnavailableError):
    """An account's store refuses the credentials in the settings, or what they may not do."""

    status = 502
