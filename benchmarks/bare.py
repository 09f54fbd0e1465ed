"""The yardstick for answers over HTTP: the least that Starlette and msgspec can do.

No token, no database, no log line: it has the records at hand, and encodes them for each request.
Run as `python -m benchmarks.bare <port> <folder>`; the folder has what Headland answered.
"""

import os
import sys
from pathlib import Path
from typing import Any

import msgspec
from granian.constants import HTTPModes, Interfaces
from granian.log import LogLevels
from granian.server import Server
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from headland.http.operations import Handler
from headland.jobs.batches.wire import Batch, BatchList, BatchState

_FOLDER = "BENCHMARKS_BARE_FOLDER"
_JSON = "application/json; charset=UTF-8"

#: By path: the file with the answer, and what it is.
ANSWERS: dict[str, tuple[str, type]] = {
    "/batches": ("list.json", BatchList),
    "/hundred": ("hundred.json", BatchList),
    "/batches/{batch_id}": ("item.json", Batch),
    "/batches/{batch_id}/state": ("state.json", BatchState),
}


def application() -> Starlette:
    """Factory for granian's worker process."""
    folder = Path(os.environ[_FOLDER])
    return Starlette(
        routes=[
            Route(path, _answering((folder / name).read_bytes(), kind))
            for path, (name, kind) in ANSWERS.items()
            if (folder / name).exists()
        ]
    )


def _answering(content: bytes, kind: type) -> Handler:
    record: Any = msgspec.json.decode(content, type=kind)
    encoder = msgspec.json.Encoder()

    async def answer(_request: Request) -> Response:
        return Response(encoder.encode(record), media_type=_JSON)

    return answer


def main() -> None:
    port, folder = int(sys.argv[1]), sys.argv[2]
    os.environ[_FOLDER] = folder
    # As `headland.server.processes` has it for the private listener.
    Server(
        "benchmarks.bare:application",
        address="127.0.0.1",
        port=port,
        interface=Interfaces.ASGINL,
        factory=True,
        http=HTTPModes.http1,
        websockets=False,
        workers=1,
        log_level=LogLevels.warning,
    ).serve()


if __name__ == "__main__":
    main()
