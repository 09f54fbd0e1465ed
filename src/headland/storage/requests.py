"""What requests to storage say: parameters, names, bodies."""

from collections.abc import AsyncIterator

from starlette.requests import Request

from headland.storage.errors import ParameterError, StorageUrlError, UploadCutShortError
from headland.storage.names import printable
from headland.storage.storage import Storage
from headland.storage.urls import BlobUrl

#: In a path, stands for the default account or container.
DEFAULT = "-"


def query_of(request: Request, *known: str) -> dict[str, str]:
    """The query's parameters, each at most once and each known."""
    given: dict[str, str] = {}
    for name, value in request.query_params.multi_items():
        if name not in known:
            raise ParameterError(f"Parameter '{printable(name, 64)}' is not known here.")
        if name in given:
            raise ParameterError(f"Parameter '{name}' is given twice.")
        given[name] = value
    return given


def container_of(request: Request, storage: Storage) -> tuple[str, str]:
    """Account and container that a request's path names."""
    account, container = request.path_params["account"], request.path_params["container"]
    return (
        storage.default_account if account == DEFAULT else account,
        storage.default_container if container == DEFAULT else container,
    )


def path_of(request: Request) -> str:
    """The path within the container that a request's path names."""
    path: str = request.path_params["path"]
    if not request.scope["path"].endswith(path):
        # Starlette's pattern leaves out a newline at the end, which would name another blob.
        raise StorageUrlError(printable(request.scope["path"]), "it has a control character in a name")
    return path


async def body_of(request: Request, url: BlobUrl) -> AsyncIterator[bytes]:
    """A request's body, which has the length that it declares."""
    length = declared_length(request)
    received = 0
    async for chunk in request.stream():
        received += len(chunk)
        yield chunk
    # A server may take a connection that broke for a body that ended.
    if length is not None and received != length:
        raise UploadCutShortError(url, length, received)


def declared_length(request: Request) -> int | None:
    declared = request.headers.get("content-length", "")
    return int(declared) if declared.isascii() and declared.isdigit() else None
