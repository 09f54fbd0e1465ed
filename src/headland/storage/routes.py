"""Storage over HTTP: operations, and the application that has them."""

from collections.abc import Mapping
from typing import Annotated

import structlog
from msgspec import Meta
from starlette.requests import Request
from starlette.responses import Response

from headland.http.answers import json_answer
from headland.http.application import Application
from headland.http.openapi import Api
from headland.http.operations import Answer, Operation, Parameter
from headland.http.ranges import RangeError, span_asked
from headland.security import Guard
from headland.storage.errors import (
    BlobChangedError,
    BlobNotFoundError,
    BlobTooLargeError,
    NotABlobError,
    ParameterError,
    StorageUnavailableError,
)
from headland.storage.faults import ERROR_ANSWERS
from headland.storage.filesystem_routes import filesystem_operations
from headland.storage.parts import PartUploads
from headland.storage.requests import body_of, container_of, declared_length, path_of, query_of
from headland.storage.responses import BlobResponse, blob_headers
from headland.storage.storage import LONGEST_PAGE, Storage
from headland.storage.urls import BlobUrl
from headland.storage.wire import (
    AccountList,
    BlobList,
    Problem,
    StorageAccount,
    StoredBlob,
    blob,
    stored_blob,
)

_log = structlog.get_logger("headland.storage")

_BLOB = "/{account}/{container}/{path:path}"
_BLOB_HEADERS = {
    "ETag": "Changes whenever the content does.",
    "Last-Modified": "When the blob was stored.",
}
_PART_HEADERS = {**_BLOB_HEADERS, "Content-Range": "Which bytes, and of how many."}
_LIST_PARAMETERS = (
    Parameter("prefix", str, "Only blobs whose path begins with this."),
    Parameter("marker", str, "`nextMarker` of the page before."),
    Parameter("limit", Annotated[int, Meta(ge=1, le=LONGEST_PAGE)], "Most blobs to answer; 100 if not said."),
)
_DEFAULT_LIMIT = 100

#: The size of a blob that has not been looked at.
_UNKNOWN = 1 << 62

ERRORS: Mapping[int, Answer] = {
    400: Answer("A name, parameter or body is malformed.", Problem),
    401: Answer("No token, or one that is not good.", Problem, {"WWW-Authenticate": "What is wanted."}),
    404: Answer("No such account, container or blob.", Problem),
    409: Answer("The name is taken by a folder, or leads out of the account.", Problem),
    502: Answer("The account's store denies the credentials in the settings.", Problem),
    503: Answer("The account's store or the database can't be reached.", Problem),
}


def storage_api(storage: Storage, guard: Guard, max_upload: int) -> Api:
    """The API, with uploads of at most `max_upload` bytes."""
    return Api(
        name="storage",
        summary="Cluster storage: upload, list and fetch what batches name by `wasbs://` URLs. Headland's own. "
        "In paths, `-` stands for the default account or container.",
        prefix="/storage",
        operations=storage_operations(storage, guard, max_upload),
        errors=ERRORS,
    )


def storage_app(storage: Storage, guard: Guard, max_upload: int) -> Application:
    """The application that answers below `/storage`."""
    return Application(storage_operations(storage, guard, max_upload), ERROR_ANSWERS)


def storage_operations(storage: Storage, guard: Guard, max_upload: int) -> list[Operation]:
    """Every operation, by paths below the prefix."""
    handlers = _Handlers(storage, guard, max_upload)
    stored = Answer("Stored in the place of a blob that was there.", StoredBlob)
    octets = Answer("The blob.", "application/octet-stream", _BLOB_HEADERS)
    return [
        *filesystem_operations(storage, PartUploads(storage, storage.folder, max_upload), guard),
        Operation(
            "GET", "/", handlers.list_storage_accounts, "List accounts", {200: Answer("All.", AccountList)}
        ),
        Operation(
            "GET",
            "/{account}/{container}",
            handlers.list_blobs,
            "List blobs in the order of their paths",
            {200: Answer("A page.", BlobList)},
            parameters=_LIST_PARAMETERS,
        ),
        Operation(
            "PUT",
            _BLOB,
            handlers.upload_blob,
            "Upload a blob, all of it or nothing",
            {
                201: Answer("Stored.", StoredBlob),
                200: stored,
                408: Answer("The body does not come.", Problem),
                412: Answer("There is one already.", Problem),
                413: Answer("Too large.", Problem),
            },
            body=bytes,
            media_types=("application/octet-stream",),
            parameters=(
                Parameter("If-None-Match", str, "`*`: store it only where no blob is.", place="header"),
            ),
        ),
        Operation(
            "GET",
            _BLOB,
            handlers.download_blob,
            "Download a blob, or some of its bytes",
            {
                200: octets,
                206: Answer("The bytes asked for.", "application/octet-stream", _PART_HEADERS),
                412: Answer("It is another blob by now.", Problem),
                416: Answer("It has no such bytes.", Problem),
            },
            parameters=(
                Parameter("Range", str, "`bytes=<first>-<last>`, one range.", place="header"),
                Parameter("If-Match", str, "The `ETag` that it has to have.", place="header"),
            ),
        ),
        Operation(
            "HEAD",
            _BLOB,
            handlers.describe_blob,
            "Ask for a blob's size",
            {200: Answer("It is there.", None, _BLOB_HEADERS)},
        ),
        Operation("DELETE", _BLOB, handlers.delete_blob, "Delete a blob", {204: Answer("It is gone.")}),
    ]


class _Handlers:
    """HTTP to storage and back. Each method authenticates before it looks at anything else."""

    def __init__(self, storage: Storage, guard: Guard, max_upload: int) -> None:
        self._storage = storage
        self._guard = guard
        self._max_upload = max_upload

    async def list_storage_accounts(self, request: Request) -> Response:
        await self._guard.authenticate(request)
        query_of(request)
        default = self._storage.default_account
        accounts = tuple(StorageAccount(p.name, p.kind, p.name == default) for p in self._storage.places)
        return json_answer(AccountList(accounts, self._storage.default_container))

    async def list_blobs(self, request: Request) -> Response:
        await self._guard.authenticate(request)
        query = query_of(request, "prefix", "marker", "limit")
        account, container = container_of(request, self._storage)
        limit = query.get("limit", str(_DEFAULT_LIMIT))
        page = await self._storage.list_blobs(
            account,
            container,
            prefix=query.get("prefix", ""),
            marker=query.get("marker") or None,
            limit=int(limit) if limit.isascii() and limit.isdigit() and len(limit) < 10 else 0,
        )
        blobs = tuple(blob(account, container, info) for info in page.blobs)
        return json_answer(BlobList(blobs, page.next_marker))

    async def upload_blob(self, request: Request) -> Response:
        await self._guard.authenticate(request)
        query_of(request)
        url = self._url(request)
        if "content-range" in request.headers:
            # A part stored as if it were the whole (RFC 9110 section 14.5) is what this refuses.
            raise ParameterError("Header 'Content-Range' is not taken: a blob is uploaded whole.")
        if (declared_length(request) or 0) > self._max_upload:
            raise BlobTooLargeError(url, self._max_upload)
        replaced = await self._stored(url)
        replace = request.headers.get("if-none-match") != "*"
        body = body_of(request, url)
        info = await self._storage.upload(url, body, self._max_upload, replace=replace)
        _log.info("blob.uploaded", url=str(url), size=info.size, replaced=replaced)
        return json_answer(stored_blob(url, info), 200 if replaced else 201)

    async def download_blob(self, request: Request) -> Response:
        if request.method == "HEAD":
            return await self.describe_blob(request)
        await self._guard.authenticate(request)
        query_of(request)
        url = self._url(request)
        if "range" not in request.headers and "if-match" not in request.headers:
            return BlobResponse(await self._storage.open(url))
        known = request.headers.get("if-match", "*")
        if (answer := await self._part_of_known(request, url, known)) is not None:
            return answer
        info = await self._storage.stat(url)
        shown = blob_headers(info)
        if known not in {"*", shown.get("etag")}:
            raise BlobChangedError(url)
        try:
            span = span_asked(request, info.size, etag=shown.get("etag"), modified=shown["last-modified"])
        except RangeError as error:
            headers = {"content-range": error.content_range, "accept-ranges": "bytes"}
            return json_answer(Problem(str(error)), 416, headers)
        reader = await self._storage.open(url, span)
        if span is not None and (reader.info.etag, reader.info.size) != (info.etag, info.size):
            # Another one has taken its place meanwhile.
            await reader.close()
            if known != "*":
                raise BlobChangedError(url)
            return BlobResponse(await self._storage.open(url))
        return BlobResponse(reader, span=span)

    async def _part_of_known(self, request: Request, url: BlobUrl, known: str) -> Response | None:
        """What a caller asks for who has its `ETag` and knows how many bytes there are: a request of the store less.
        None where that is not how it is.
        """
        try:
            span = span_asked(request, _UNKNOWN, etag=known)
            if known == "*" or span is None or span.last == _UNKNOWN - 1:
                return None
            reader = await self._storage.open(url, span)
        except (RangeError, StorageUnavailableError):
            # So do stores say that a blob has become too short for it.
            return None
        shown = blob_headers(reader.info)
        if shown.get("etag") == known and span.last < reader.info.size:
            return BlobResponse(reader, shown, span)
        await reader.close()
        return None

    async def describe_blob(self, request: Request) -> Response:
        await self._guard.authenticate(request)
        query_of(request)
        return Response(headers=blob_headers(await self._storage.stat(self._url(request))))

    async def delete_blob(self, request: Request) -> Response:
        await self._guard.authenticate(request)
        query_of(request)
        url = self._url(request)
        await self._storage.delete(url)
        _log.info("blob.deleted", url=str(url))
        return Response(status_code=204)

    async def _stored(self, url: BlobUrl) -> bool:
        try:
            await self._storage.stat(url)
        except (BlobNotFoundError, NotABlobError):
            return False
        return True

    def _url(self, request: Request) -> BlobUrl:
        return BlobUrl(*container_of(request, self._storage), path_of(request))
