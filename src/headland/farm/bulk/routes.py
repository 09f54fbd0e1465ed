"""Bulk operations: Headland's own addition to the protocol."""

from collections.abc import AsyncIterator, Awaitable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from typing import Annotated, Literal

from msgspec import Meta
from starlette.requests import Request
from starlette.responses import Response

from headland.farm.access import Visit
from headland.farm.answers import lines_head
from headland.farm.arrival import Arrival
from headland.farm.bulk.answers import JSON_LINES, NDJSON, AccountResponse, ExportResponse
from headland.farm.bulk.exporting import documents_of, records
from headland.farm.bulk.importing import Import
from headland.farm.bulk.lines import LineReader, unzipped
from headland.farm.bulk.prepared import Mode, shape_called
from headland.farm.bulk.preparing import Preparing
from headland.farm.documents.stamps import Stamp
from headland.farm.errors import InvalidInputError, UnsupportedMediaTypeError
from headland.farm.geometry import Geometry, Placed
from headland.farm.guarded import guarded
from headland.farm.handlers import Surroundings, caller_of
from headland.farm.parameters import api_version
from headland.farm.queries import one, whole_number
from headland.farm.versions import Version
from headland.http.bodies import media_type_of
from headland.http.headers import header
from headland.http.operations import Answer, Handler, Operation, Parameter

_ACTION = "Microsoft.AgFoodPlatform/farmBeats/bulk"
#: Reads all, writes all; and what is an administrator's alone: to say who wrote what when.
_READ, _WRITE, _RESTORE = f"{_ACTION}/read", f"{_ACTION}/write", f"{_ACTION}/restore"

_FIRST_LINE = Parameter(
    "firstLine",
    Annotated[int, Meta(ge=1)],
    "What number the first line has in the answer, where an import goes on; 1 if not said.",
)
_MODE = Parameter(
    "mode",
    Literal["merge", "create"],
    "`merge` (if not said) merges a line into the document that is there; `create` refuses it then.",
)
_ACCOUNT = Answer(
    "Lines of JSON, as the import goes: each with `event` `refused` (a line that was not taken, and why), `committed` "
    "(all up to `lines` is on disk), and at last `finished`, or `stopped` where it could not go on.",
    NDJSON,
)


def bulk_operations(version: Version, surroundings: Surroundings) -> list[Operation]:
    """Every bulk operation in a version, by paths below an instance's address."""
    bulk, gate = _Bulk(version, surroundings), surroundings.gate
    common = (api_version(version), _FIRST_LINE)

    def export(path: str, name: str, summary: str, each: str) -> Operation:
        return Operation(
            "GET",
            path,
            guarded(name, _READ, bulk.export, gate),
            summary,
            {200: Answer(each, NDJSON)},
            parameters=(api_version(version),),
            addition=True,
            action=_READ,
        )

    def bring(path: str, name: str, summary: str) -> Operation:
        return _taking(path, guarded(name, _WRITE, bulk.merge, gate), summary, _WRITE, (*common, _MODE))

    def restore(path: str, name: str, summary: str) -> Operation:
        return _taking(path, guarded(name, _RESTORE, bulk.restore, gate), summary, _RESTORE, common)

    return [
        export(
            "/bulk",
            "export_records",
            "Take out everything",
            "A record a line, parties first: one state of the instance.",
        ),
        export(
            "/bulk/{family}",
            "export_family",
            "Take out all documents of a family",
            "A document a line, in the order in which they were made.",
        ),
        bring("/bulk", "import_records", "Bring in records, each of whatever family"),
        bring("/bulk/{family}", "import_family", "Bring in documents of a family"),
        restore("/restore", "restore_records", "Bring in records as they were, with stamps and eTags"),
        restore(
            "/restore/{family}", "restore_family", "Bring in documents as they were, with stamps and eTags"
        ),
    ]


def _taking(
    path: str, handler: Handler, summary: str, action: str, parameters: Sequence[Parameter]
) -> Operation:
    return Operation(
        "POST",
        path,
        handler,
        summary,
        {200: _ACCOUNT},
        body=bytes,
        media_types=(NDJSON,),
        parameters=parameters,
        addition=True,
        action=action,
    )


class _Bulk:
    """HTTP to imports and exports, after a request was let in."""

    def __init__(self, version: Version, surroundings: Surroundings) -> None:
        self._version = version
        self._surroundings = surroundings

    async def export(self, request: Request, _arrival: Arrival, visit: Visit) -> Response:
        family = request.path_params.get("family")
        shape = None if family is None else shape_called(family, self._version)

        @contextmanager
        def lines() -> Iterator[Iterator[bytes]]:
            with visit.store.snapshot() as connection:
                yield records(connection) if shape is None else documents_of(connection, shape)

        return ExportResponse(visit.store, lines(), lines_head(request), head_only=request.method == "HEAD")

    async def merge(self, request: Request, arrival: Arrival, visit: Visit) -> Response:
        given = one(arrival.query, "mode")
        modes = {Mode.MERGE.value: Mode.MERGE, Mode.CREATE.value: Mode.CREATE}
        mode = modes.get(given or Mode.MERGE.value)
        if mode is None:
            raise InvalidInputError(f"'{given[:80] if given else ''}' is none of {', '.join(modes)}.", "mode")
        return self._taken(request, arrival, visit, mode)

    async def restore(self, request: Request, arrival: Arrival, visit: Visit) -> Response:
        return self._taken(request, arrival, visit, Mode.RESTORE)

    def _taken(self, request: Request, arrival: Arrival, visit: Visit, mode: Mode) -> Response:
        (longest, setting), clock = self._surroundings.body_limit(geometry=True), self._surroundings.clock
        first = whole_number("firstLine", one(arrival.query, "firstLine") or "1")
        if first < 1:
            raise InvalidInputError("Lines are counted from 1.", "firstLine")
        limits, family = self._surroundings.limits, request.path_params.get("family")

        def measure(geometry: Geometry, field: str) -> Awaitable[Placed]:
            return self._surroundings.placed(geometry, visit, field)

        preparing = Preparing(
            self._version, family, mode, longest, measure=measure, limits=limits, setting=setting
        )
        taking = Import(
            visit.store,
            preparing,
            mode,
            LineReader(longest, first),
            lambda: Stamp(int(clock()), visit.principal.object_id),
            ask=partial(self._surroundings.workers.ask, caller_of(visit)),
        )
        return AccountResponse(visit.store, taking.run(_body_of(request)), lines_head(request))


def _body_of(request: Request) -> AsyncIterator[bytes]:
    """Raises UnsupportedMediaTypeError where it is not lines of JSON, or is encoded otherwise than by gzip."""
    media_type, _ = media_type_of(request)
    if media_type not in JSON_LINES:
        raise UnsupportedMediaTypeError(f"'{media_type[:80]}' is not taken; send {NDJSON}.")
    encoding = (header(request.scope, b"content-encoding") or "identity").strip().lower()
    if encoding not in {"identity", "gzip"}:
        raise UnsupportedMediaTypeError(f"The content encoding '{encoding[:80]}' is not taken; send gzip.")
    return unzipped(request.stream()) if encoding == "gzip" else request.stream()
