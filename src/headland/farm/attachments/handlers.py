"""What is done with documents that have a file, where it is not what is done with all documents."""

from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass, field
from urllib.parse import quote

from sqlalchemy import Connection
from starlette.requests import Request
from starlette.responses import Response

from headland.farm.access import Visit
from headland.farm.answers import file_answer
from headland.farm.arrival import Arrival
from headland.farm.attachments.files import digest_header
from headland.farm.attachments.types import check_type
from headland.farm.catalogue.family import FILE_NAME
from headland.farm.catalogue.shape import Stored
from headland.farm.documents import documents, files, rows
from headland.farm.documents.conditions import Conditions
from headland.farm.documents.documents import Written
from headland.farm.documents.files import File
from headland.farm.documents.making import Patch
from headland.farm.documents.rows import Key
from headland.farm.documents.stamps import Stamp
from headland.farm.documents.standing import standing
from headland.farm.errors import (
    InvalidInputError,
    ResourceNotFoundError,
    UnsatisfiableRangeError,
    UnsupportedMediaTypeError,
)
from headland.farm.handlers import Handlers, conditions_of
from headland.farm.paths import file_name
from headland.http.bodies import MAX_BODY, media_type_of, too_large
from headland.http.forms import MULTIPART, Form, Part, read_form
from headland.http.ranges import RangeError, span_asked
from headland.storage import BlobNotFoundError

#: Of file names: what file systems take.
_LONGEST_NAME = 255


@dataclass(slots=True)
class _Received:
    """What a form has brought."""

    fields: Mapping[str, str] = field(default_factory=dict)
    #: As the form says, or the file itself.
    name: str | None = None
    file: File | None = None


class FileHandlers(Handlers):
    """One family's in one version."""

    async def write(self, request: Request, arrival: Arrival, visit: Visit) -> Response:
        key, conditions = self._key(request), conditions_of(request)
        documents.check_ids(request.path_params)
        media_type, parameters = media_type_of(request)
        if media_type != MULTIPART:
            raise UnsupportedMediaTypeError(f"'{media_type[:80]}' is not taken; send {MULTIPART}.")
        # Before the file is received, since it may be long; and once more when it is kept.
        visit.store.read(lambda connection: self._check(connection, key, conditions))
        received = await self._receive(request, visit, parameters.get("boundary", ""))
        try:
            written = await visit.store.write(
                lambda connection: self._write(connection, key, received, conditions, self._stamp(visit))
            )
        except BaseException:
            if received.file is not None:
                await self._surroundings.files.give_up(visit.store, received.file.name)
            raise
        finally:
            self._surroundings.pending.wake()
        return self._written(request, arrival, written, self._shown(written.stored, request))

    async def download(self, request: Request, arrival: Arrival, visit: Visit) -> Response:
        key = self._key(request)

        def look(connection: Connection) -> tuple[rows.Row | None, File | None]:
            return rows.find(connection, self._family, key), files.find(connection, self._family, key)

        row, file = visit.store.read_snapshot(look)
        if row is None:
            raise ResourceNotFoundError(self._kind, key.id)
        if file is None:
            raise ResourceNotFoundError(f"File of {self._kind}", key.id)
        etag = f'"{file.sha256.hex()}"'
        headers = {
            "accept-ranges": "bytes",
            "etag": etag,
            "content-disposition": _disposition(self._file_name(row.stored)),
            "content-length": str(file.size),
            "repr-digest": digest_header(file),
        }
        if request.method == "HEAD":
            return file_answer(request, None, headers)
        try:
            span = span_asked(request, file.size, etag=etag)
        except RangeError as error:
            raise UnsatisfiableRangeError(str(error), error.content_range) from None
        try:
            reader = await self._surroundings.files.open(visit.instance.store_key, file, span)
        except BlobNotFoundError:
            if visit.store.read(lambda connection: files.find(connection, self._family, key)) == file:
                raise
            # Another file has taken its place meanwhile, or none.
            return await self.download(request, arrival, visit)
        return file_answer(request, reader, headers, span)

    def _check(self, connection: Connection, key: Key, conditions: Conditions) -> None:
        found = standing(connection, self._family, key)
        conditions.check(found.etag)
        found.check_parents(self._version)

    async def _receive(self, request: Request, visit: Visit, boundary: str) -> _Received:
        received, store_key = _Received(), visit.instance.store_key
        surroundings = self._surroundings
        declared = request.headers.get("content-length", "")
        if declared.isdigit() and int(declared) > surroundings.files.largest + surroundings.max_body:
            raise too_large(surroundings.files.largest, "farm.max_file", "file")
        await self._note(visit)

        async def take(_part: Part, data: AsyncIterator[bytes]) -> None:
            received.file = await surroundings.files.receive(store_key, visit.store, data)

        try:
            form = await read_form(request.stream(), boundary, surroundings.max_body, take, setting=MAX_BODY)
            received.fields = _camel(form.fields)
            received.name = self._name_in(form, received.fields)
            if form.file is not None:
                check_type(form.file, received.name or "", surroundings.files.types)
        except BaseException:
            if received.file is not None:
                await surroundings.files.give_up(visit.store, received.file.name)
            raise
        return received

    def _write(
        self, connection: Connection, key: Key, received: _Received, conditions: Conditions, stamp: Stamp
    ) -> Written:
        members = self._shape.writable(received.fields)
        if received.name is not None:
            members[self._shape.names[FILE_NAME]] = received.name
        patch = Patch(members)
        written = documents.write(connection, self._shape, key, patch, stamp=stamp, conditions=conditions)
        if received.file is not None:
            files.keep(connection, received.file, self._family, key)
        return written

    def _name_in(self, form: Form, fields: Mapping[str, str]) -> str | None:
        wire = self._shape.names[FILE_NAME]
        name = fields.get(wire) or (form.file.file_name if form.file else None)
        if name is not None and (len(name) > _LONGEST_NAME or not name.isprintable()):
            text = f"A file's name has at most {_LONGEST_NAME} characters, and none that can't be printed."
            raise InvalidInputError(text, wire)
        return name

    def _file_name(self, stored: Stored) -> str:
        return file_name(self._family, self._version, self._shape.opened(stored))


def _camel(fields: Mapping[str, str]) -> dict[str, str]:
    """Parts by the names that members have: the earliest versions write them with a capital."""
    named: dict[str, str] = {}
    for name, value in fields.items():
        member = name[:1].lower() + name[1:]
        if member in named:
            raise InvalidInputError("The form has the part more than once.", member)
        named[member] = value
    return named


def _disposition(name: str) -> str:
    """RFC 6266: the name in ASCII for old clients, and as it is (RFC 8187)."""
    plain = "".join(c if c.isascii() and c.isprintable() and c not in '"\\%' else "_" for c in name)
    exact = "" if plain == name else f"; filename*=UTF-8''{quote(name, safe='')}"
    return f'attachment; filename="{plain}"{exact}'
