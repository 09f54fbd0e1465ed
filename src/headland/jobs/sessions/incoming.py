"""Bodies with code in them: short ones are read as any other, long ones go through a file."""

import asyncio
import contextlib
import shutil
import sys
import zlib
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

import msgspec
from starlette.requests import ClientDisconnect, Request

import headland
from headland.http.bodies import BodyError, too_large
from headland.http.headers import header
from headland.http.validation import BodyInvalidError, convert_json, decode_json
from headland.jobs.sessions import long_bodies

T = TypeVar("T")

#: The setting that says how long a body may be.
SETTING = "jobs.max_statement"

#: Bytes that are written to a file at once.
_PIECE = 1 << 20

#: Seconds that it may take to take a long body apart.
_PATIENCE = 60.0


@dataclass(frozen=True, slots=True)
class CodeReader:
    """Reads bodies of at most `longest` bytes; those of more than `short` go through a file."""

    short: int
    longest: int

    @contextlib.asynccontextmanager
    async def read(
        self, request: Request, folder: Path, member: str, wanted: type[T]
    ) -> AsyncIterator[tuple[T, bytes | Path]]:
        """The body as `wanted`, and its `member`: as JSON, or as a file with that. `wanted` has an empty text in its
        place where it is long. What is long is below `folder` meanwhile.

        Raises:
            BodyError, BodyInvalidError: as elsewhere.
        """
        pieces = self._pieces(request)
        start = bytearray()
        async for piece in pieces:
            start += piece
            if len(start) > self.short:
                break
        else:
            body = decode_json(bytes(start), wanted, lax=True)
            yield body, msgspec.json.encode(str(getattr(body, member)))
            return
        await asyncio.to_thread(folder.mkdir, mode=0o700, parents=True)
        try:
            file = folder / "body"
            await _keep(file, start, pieces)
            rest = await _taken_apart(file, member)
            file.unlink()
            yield convert_json(rest, wanted, lax=True), long_bodies.piece_of(file)
        finally:
            await asyncio.to_thread(shutil.rmtree, folder, ignore_errors=True)

    async def _pieces(self, request: Request) -> AsyncIterator[bytes]:
        """The body as it comes, decoded."""
        encoding = (header(request.scope, b"content-encoding") or "").strip().lower()
        decoder = (
            zlib.decompressobj(wbits=31 if encoding == "gzip" else 15)
            if encoding in {"gzip", "deflate"}
            else None
        )
        left = self.longest
        more = True
        while more:
            message = await request.receive()
            if message["type"] == "http.disconnect":
                raise ClientDisconnect
            piece, more = message.get("body", b""), message.get("more_body", False)
            while piece:
                if decoder is None:
                    decoded, piece = piece, b""
                else:
                    try:
                        decoded = decoder.decompress(piece, _PIECE)
                    except zlib.error:
                        said = f"The body is not {encoding}, which Content-Encoding says it is."
                        raise BodyError(400, said) from None
                    piece = decoder.unconsumed_tail
                left -= len(decoded)
                if left < 0:
                    raise too_large(self.longest, SETTING)
                yield decoded
        if decoder is not None and not decoder.eof and left < self.longest:
            raise BodyError(400, f"The body ends before its {encoding} encoding does.")


async def _keep(file: Path, start: bytearray, pieces: AsyncIterator[bytes]) -> None:
    """Write `start` and what comes after it."""
    with file.open("xb") as written:
        await asyncio.to_thread(written.write, start)
        start.clear()
        async for piece in pieces:
            start += piece
            if len(start) >= _PIECE:
                await asyncio.to_thread(written.write, start)
                start.clear()
        written.write(start)


async def _taken_apart(file: Path, member: str) -> object:
    """What a body says besides its `member`.

    Raises:
        BodyInvalidError: it is no JSON, or has other long parts.
    """
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-S", "-m", long_bodies.__name__, str(file), member),
        env={"PYTHONPATH": str(Path(headland.__file__).parent.parent)},
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    try:
        async with asyncio.timeout(_PATIENCE):
            told, problem = await process.communicate()
    except BaseException:
        process.kill()
        raise
    if process.returncode:
        raise BodyInvalidError("", problem.decode(errors="replace").strip()[-500:])
    return msgspec.json.decode(told)
