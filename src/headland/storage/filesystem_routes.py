"""Cluster storage over HTTP as a file system: folders, renaming, and uploads in parts. What Spark speaks where it does
not reach the files themselves."""

import re
from collections.abc import AsyncIterator

import msgspec
import structlog
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse

from headland.http.answers import json_answer
from headland.http.operations import Answer, Operation, Parameter
from headland.security import Guard
from headland.storage.blobs import Entry
from headland.storage.errors import ParameterError
from headland.storage.parts import PartUpload, PartUploads
from headland.storage.requests import body_of, container_of, path_of, query_of
from headland.storage.storage import Storage
from headland.storage.urls import BlobUrl, FolderUrl
from headland.storage.wire import BlobLink, FileEntry, Problem, Rename, StoredBlob, file_entry, stored_blob

_log = structlog.get_logger("headland.storage")

# No account can have such a name.
_ENTRY = "/file-system/entries/{account}/{container}/{path:path}"
_LINKS = "/file-system/links/{account}/{container}/{path:path}"
_CHILDREN = "/file-system/children/{account}/{container}/{path:path}"
_PARTS = "/file-system/parts/{upload}/{account}/{container}/{path:path}"

_UPLOAD = re.compile(r"[0-9a-f]{32}")

#: Seconds that a link is good for. Who has one and a right no more may read the blob for so long.
_LINKED = 300

#: Lines that are sent at a time.
_LINES = 500

#: Longest body of a request in JSON, in bytes.
_LONGEST = 1 << 16


def filesystem_operations(storage: Storage, parts: PartUploads, guard: Guard) -> list[Operation]:
    """Every operation, by paths below the storage API's prefix."""
    handlers = _Handlers(storage, parts, guard)
    gone, taken = Answer("It is gone."), Answer("Something has the name already.", Problem)
    return [
        Operation(
            "GET",
            _ENTRY,
            handlers.describe_entry,
            "Describe a blob or folder",
            {200: Answer("It.", FileEntry)},
        ),
        Operation(
            "PUT",
            _ENTRY,
            handlers.make_folder,
            "Make a folder and those above it",
            {204: Answer("It is there.")},
        ),
        Operation(
            "POST",
            _ENTRY,
            handlers.rename_entry,
            "Give this path to a blob or folder of the container",
            {204: Answer("It has it."), 412: taken},
            body=Rename,
        ),
        Operation(
            "DELETE",
            _ENTRY,
            handlers.delete_entry,
            "Delete a blob or folder",
            {204: gone},
            parameters=(Parameter("recursive", bool, "Whether a folder goes with all that it has."),),
        ),
        Operation(
            "GET",
            _CHILDREN,
            handlers.list_children,
            "List what a folder has, an entry a line",
            {200: Answer("All, in the order of paths.", "application/x-ndjson")},
        ),
        Operation(
            "GET",
            _LINKS,
            handlers.link_blob,
            "Say where a blob may be read beside the service",
            {200: Answer("Where, if anywhere.", BlobLink)},
        ),
        Operation(
            "PUT",
            _PARTS,
            handlers.write_part,
            "Send a part of an upload, again if need be",
            {204: Answer("It is kept."), 413: Answer("Too large.", Problem)},
            body=bytes,
            media_types=("application/octet-stream",),
            parameters=(Parameter("offset", int, "Where it begins, in bytes.", required=True),),
        ),
        Operation(
            "POST",
            _PARTS,
            handlers.commit_upload,
            "Make the blob of an upload",
            {201: Answer("Stored.", StoredBlob), 412: taken},
            parameters=(
                Parameter("size", int, "Bytes that were sent.", required=True),
                Parameter("replace", bool, "Whether a blob that is there is replaced; true if not said."),
            ),
        ),
        Operation("DELETE", _PARTS, handlers.discard_upload, "Forget an upload", {204: gone}),
    ]


class _Handlers:
    """HTTP to storage and back. Each method authenticates before it looks at anything else."""

    def __init__(self, storage: Storage, parts: PartUploads, guard: Guard) -> None:
        self._storage = storage
        self._parts = parts
        self._guard = guard

    async def describe_entry(self, request: Request) -> Response:
        await self._guard.authenticate(request)
        query_of(request)
        return json_answer(file_entry(await self._storage.entry(self._url(request))))

    async def make_folder(self, request: Request) -> Response:
        await self._guard.authenticate(request)
        query_of(request)
        await self._storage.make_folder(self._url(request))
        return Response(status_code=204)

    async def rename_entry(self, request: Request) -> Response:
        await self._guard.authenticate(request)
        query_of(request)
        target = self._url(request)
        text = b""
        async for chunk in request.stream():
            text += chunk
            if len(text) > _LONGEST:
                raise ParameterError(f"The body is longer than {_LONGEST} bytes.")
        try:
            wanted = msgspec.json.decode(text, type=Rename)
        except msgspec.MsgspecError as error:
            raise ParameterError(f"The body is malformed: {error}") from None
        source = FolderUrl(target.account, target.container, wanted.source)
        await self._storage.rename(source, target.path, replace=wanted.replace)
        _log.info("entry.renamed", url=str(source), to=str(target))
        return Response(status_code=204)

    async def delete_entry(self, request: Request) -> Response:
        await self._guard.authenticate(request)
        recursive = _flag(query_of(request, "recursive"), "recursive", False)
        url = self._url(request)
        await self._storage.remove(url, recursive=recursive)
        _log.info("entry.deleted", url=str(url), recursive=recursive)
        return Response(status_code=204)

    async def list_children(self, request: Request) -> Response:
        await self._guard.authenticate(request)
        query_of(request)
        entries = await self._storage.children(self._url(request))
        return StreamingResponse(_lines(entries), media_type="application/x-ndjson")

    async def link_blob(self, request: Request) -> Response:
        await self._guard.authenticate(request)
        query_of(request)
        url = self._url(request)
        found = await self._storage.link(BlobUrl(url.account, url.container, url.path), _LINKED)
        return json_answer(BlobLink(found, _LINKED), headers={"cache-control": "no-store"})

    async def write_part(self, request: Request) -> Response:
        upload = await self._upload(request)
        offset = _number(query_of(request, "offset"), "offset")
        await self._parts.write(upload, offset, body_of(request, upload.url))
        return Response(status_code=204)

    async def commit_upload(self, request: Request) -> Response:
        upload = await self._upload(request)
        query = query_of(request, "size", "replace")
        size, replace = _number(query, "size"), _flag(query, "replace", True)
        info = await self._parts.commit(upload, size, replace=replace)
        _log.info("blob.uploaded", url=str(upload.url), size=size)
        return json_answer(stored_blob(upload.url, info), 201)

    async def discard_upload(self, request: Request) -> Response:
        upload = await self._upload(request)
        query_of(request)
        await self._parts.discard(upload)
        return Response(status_code=204)

    async def _upload(self, request: Request) -> PartUpload:
        caller = await self._guard.authenticate(request)
        key = request.path_params["upload"]
        if not _UPLOAD.fullmatch(key):
            raise ParameterError("An upload's name is 32 of 0-9 and a-f.")
        url = self._url(request)
        return PartUpload(
            BlobUrl(url.account, url.container, url.path), key, "" if caller is None else caller.object_id
        )

    def _url(self, request: Request) -> FolderUrl:
        return FolderUrl(*container_of(request, self._storage), path_of(request))


async def _lines(entries: list[Entry]) -> AsyncIterator[bytes]:
    encoder = msgspec.json.Encoder()
    for first in range(0, len(entries), _LINES):
        yield encoder.encode_lines([file_entry(entry) for entry in entries[first : first + _LINES]])


def _number(query: dict[str, str], name: str) -> int:
    text = query.get(name, "")
    if not (text.isascii() and text.isdigit() and len(text) < 19):
        raise ParameterError(f"Parameter '{name}' is wrong: it must be a number of bytes.")
    return int(text)


def _flag(query: dict[str, str], name: str, otherwise: bool) -> bool:
    text = query.get(name)
    if text not in {None, "true", "false"}:
        raise ParameterError(f"Parameter '{name}' is wrong: it must be true or false.")
    return otherwise if text is None else text == "true"
