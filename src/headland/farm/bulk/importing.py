"""An import: lines in, chunk after chunk on disk, and an account of each that was not taken."""

from collections.abc import AsyncIterator, Callable, Iterator
from dataclasses import dataclass

from starlette.requests import ClientDisconnect

from headland.database import DatabaseUnavailableError
from headland.farm.bulk.lines import Line, LineReader
from headland.farm.bulk.prepared import Mode, Prepared
from headland.farm.bulk.preparing import Preparing
from headland.farm.bulk.storing import Outcome, store
from headland.farm.bulk.wire import Committed, Event, Finished, Refused, Stopped
from headland.farm.documents.schemas import Ask, judged
from headland.farm.documents.stamps import Stamp
from headland.farm.errors import WorkersBusyError
from headland.farm.stores import Store
from headland.farm.wire import Error
from headland.http.bodies import BodyError

#: Lines that are committed together, and bytes: other writes to the instance wait for some 10 ms at the most.
CHUNK_LINES, CHUNK_BYTES = 512, 1 << 20

#: Lines, and bytes, that are prepared together: no step of it keeps others from being answered for more than some 5 ms.
_SLICE_LINES, _SLICE_BYTES = 256, 1 << 17


@dataclass(slots=True)
class _Total:
    created: int = 0
    updated: int = 0
    unchanged: int = 0
    refused: int = 0

    def add(self, outcome: Outcome) -> None:
        self.created += outcome.created
        self.updated += outcome.updated
        self.unchanged += outcome.unchanged
        self.refused += len(outcome.refused)


class Import:
    """One import."""

    def __init__(
        self,
        target: Store,
        preparing: Preparing,
        mode: Mode,
        reader: LineReader,
        stamp: Callable[[], Stamp],
        *,
        ask: Ask,
    ) -> None:
        """`ask` has a worker look at schemas."""
        self._ask = ask
        self._store = target
        self._preparing = preparing
        self._mode = mode
        self._reader = reader
        self._stamp = stamp
        self._total = _Total()
        #: All lines up to this one are on disk, or refused.
        self._done = reader.read

    async def run(self, body: AsyncIterator[bytes]) -> AsyncIterator[Event]:
        """Take all lines of a body. Each chunk is on disk when that is told, whatever becomes of those after it."""
        try:
            async for chunk, last in self._chunks(body):
                for refused in await self._take(chunk):
                    yield refused
                self._done = last
                yield self._counted(Committed)
        except BodyError as error:
            yield self._stopped("BadRequest", error.message)
        except WorkersBusyError as error:
            yield self._stopped(error.code, error.message)
        except ClientDisconnect:
            yield self._stopped("BadRequest", "The request ended before its body did.")
        except DatabaseUnavailableError:
            yield self._stopped("ServiceUnavailable", "The instance's store can't be reached now.")
        else:
            self._done = self._reader.read
            yield self._counted(Finished)

    async def _chunks(self, body: AsyncIterator[bytes]) -> AsyncIterator[tuple[list[Line], int]]:
        """Lines to be committed together, and the number of the last."""
        chunk: list[Line] = []
        size = 0
        async for piece in body:
            for line in self._reader.feed(piece):
                chunk.append(line)
                size += len(line.text or b"")
                if len(chunk) >= CHUNK_LINES or size >= CHUNK_BYTES:
                    yield chunk, line.number
                    chunk, size = [], 0
        chunk += self._reader.end()
        if chunk:
            yield chunk, chunk[-1].number

    async def _take(self, chunk: list[Line]) -> list[Refused]:
        stamp = self._stamp()
        prepared: list[Prepared] = []
        refused: list[Refused] = []
        for some in _slices(chunk):
            for found in await self._preparing.prepare(some, stamp):
                if isinstance(found, Prepared):
                    prepared.append(found)
                else:
                    refused.append(found)
        outcome = Outcome()
        if prepared:
            outcome = await judged(
                lambda: self._store.write(lambda connection: store(connection, prepared, self._mode, stamp)),
                self._ask,
            )
        outcome.refused = sorted([*outcome.refused, *refused], key=lambda each: each.line)
        self._total.add(outcome)
        return outcome.refused

    def _counted(self, event: type[Committed] | type[Finished]) -> Event:
        return event(lines=self._done, **self._counts())

    def _stopped(self, code: str, message: str) -> Stopped:
        return Stopped(lines=self._done, error=Error(code, message), **self._counts())

    def _counts(self) -> dict[str, int]:
        total = self._total
        return {
            "created": total.created,
            "updated": total.updated,
            "unchanged": total.unchanged,
            "refused": total.refused,
        }


def _slices(chunk: list[Line]) -> Iterator[list[Line]]:
    some: list[Line] = []
    size = 0
    for line in chunk:
        some.append(line)
        size += len(line.text or b"")
        if len(some) >= _SLICE_LINES or size >= _SLICE_BYTES:
            yield some
            some, size = [], 0
    if some:
        yield some
