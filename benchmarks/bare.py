"""The yardstick for answers over HTTP: the least that Starlette and msgspec can do.

No token, no database, no log line: it has the records at hand, and encodes them for each request.
Run as `python -m benchmarks.bare <port> <folder> [<certificate> <key>]`; the folder has what Headland answered, and
with a certificate it speaks TLS.
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
from headland.server.scheduling import let_threads_finish

_FOLDER = "BENCHMARKS_BARE_FOLDER"
_JSON = "application/json; charset=UTF-8"

#: By path: the file with the answer, and what it is.
ANSWERS: dict[str, tuple[str, type]] = {
    "/batches": ("list.json", BatchList),
    "/hundred": ("hundred.json", BatchList),
    "/batches/{batch_id}": ("item.json", Batch),
    "/batches/{batch_id}/state": ("state.json", BatchState),
}

#: The same of the farm service's, below an instance's address; true for a page.
FARM_ANSWERS = {
    "/fields": ("fields.json", True),
    "/parties/{party_id}/fields": ("party-fields.json", True),
    "/parties/{party_id}/fields/{field_id}": ("field.json", False),
}
INSTANCE = "/farm/{instance}"


def application() -> Starlette:
    """Factory for granian's worker process."""
    folder = Path(os.environ[_FOLDER])
    return Starlette(
        routes=[
            Route(path, _answering((folder / name).read_bytes(), kind))
            for path, (name, kind) in (
                _farm_answers() if (folder / "field.json").exists() else ANSWERS
            ).items()
            if (folder / name).exists()
        ]
    )


def _farm_answers() -> dict[str, tuple[str, type]]:
    # What is weighed for its start and its memory has nothing of the farm service's.
    from headland.farm.catalogue.fields import FIELDS  # noqa: PLC0415
    from headland.farm.catalogue.shape import shape_of  # noqa: PLC0415

    document = shape_of(FIELDS, FIELDS.stored_as).struct
    members = [("value", list[document]), ("skipToken", str | None, None), ("nextLink", str | None, None)]
    page = msgspec.defstruct("Page", members, omit_defaults=True)
    return {
        INSTANCE + path: (name, page if is_page else document)
        for path, (name, is_page) in FARM_ANSWERS.items()
    }


def _answering(content: bytes, kind: type) -> Handler:
    record: Any = msgspec.json.decode(content, type=kind)
    encoder = msgspec.json.Encoder()

    async def answer(_request: Request) -> Response:
        return Response(encoder.encode(record), media_type=_JSON)

    return answer


def main() -> None:
    port, folder = int(sys.argv[1]), sys.argv[2]
    tls = [Path(file) for file in sys.argv[3:]]
    os.environ[_FOLDER] = folder
    # As `headland.server.processes` has it for either listener.
    let_threads_finish()
    Server(
        "benchmarks.bare:application",
        address="127.0.0.1",
        port=port,
        interface=Interfaces.ASGINL,
        factory=True,
        http=HTTPModes.auto if tls else HTTPModes.http1,
        websockets=False,
        workers=1,
        log_level=LogLevels.warning,
        **(dict(zip(("ssl_cert", "ssl_key"), tls, strict=True)) if tls else {}),
    ).serve()


if __name__ == "__main__":
    main()
