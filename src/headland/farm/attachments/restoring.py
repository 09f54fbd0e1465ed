"""Bring back the file of a document that is there, which stays as it is, stamps included: for who restores records."""

import base64
import binascii
import re

from sqlalchemy import Connection
from starlette.requests import Request
from starlette.responses import Response

from headland.farm.access import Visit
from headland.farm.answers import empty_answer
from headland.farm.arrival import Arrival
from headland.farm.documents import files, rows
from headland.farm.documents.files import File
from headland.farm.documents.rows import Key
from headland.farm.errors import InvalidInputError, ResourceNotFoundError
from headland.farm.handlers import Handlers
from headland.http.headers import header

_REPR_DIGEST = "Repr-Digest"

#: An item of it (RFC 9530 section 3): a dictionary of byte sequences.
_SHA256 = re.compile(r"(?:^|,)\s*sha-256=:([A-Za-z0-9+/=]*):\s*(?:,|$)")


class FileRestoring(Handlers):
    """One family's in one version. What types of files are taken is not asked: these were taken once."""

    async def restore(self, request: Request, _arrival: Arrival, visit: Visit) -> Response:
        key = self._key(request)
        wanted = _digest_in(header(request.scope, _REPR_DIGEST.lower().encode()))
        # Before the file is received, since it may be long; and once more when it is kept.
        visit.store.read(lambda connection: self._check(connection, key))
        await self._note(visit)
        held = self._surroundings.files
        file = await held.receive(visit.instance.store_key, visit.store, request.stream())
        try:
            _check_digest(file, wanted)
            await visit.store.write(lambda connection: self._keep(connection, key, file))
        except BaseException:
            await held.give_up(visit.store, file.name)
            raise
        finally:
            self._surroundings.pending.wake()
        return empty_answer(request)

    def _check(self, connection: Connection, key: Key) -> None:
        if not rows.exists(connection, self._family, key):
            raise ResourceNotFoundError(self._kind, key.id)

    def _keep(self, connection: Connection, key: Key, file: File) -> None:
        self._check(connection, key)
        files.keep(connection, file, self._family, key)


def _check_digest(file: File, wanted: bytes | None) -> None:
    if wanted not in {None, file.sha256}:
        raise InvalidInputError("What arrived has another SHA-256.", _REPR_DIGEST)


def _digest_in(text: str | None) -> bytes | None:
    """The SHA-256 that a header has; None where there is none.

    Raises:
        InvalidInputError: it can't be read.
    """
    if text is None:
        return None
    found = _SHA256.search(text)
    if found is None:
        raise InvalidInputError("It has no `sha-256=:…:`.", _REPR_DIGEST)
    try:
        return base64.b64decode(found[1], validate=True)
    except binascii.Error:
        raise InvalidInputError("It is not Base64.", _REPR_DIGEST) from None
