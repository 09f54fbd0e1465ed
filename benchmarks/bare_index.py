"""The yardstick for searches by place: the least that Starlette, SQLite's R*Tree and shapely can do.

No token, no filters, no paging, no log line: a geometry in, a page out. Run as
`python -m benchmarks.bare_index <port> <database> <certificate> <key>`, over the file that Headland searches.
"""

import os
import sqlite3
import sys
from pathlib import Path
from typing import Any

import msgspec
import shapely
from granian.constants import HTTPModes, Interfaces
from granian.log import LogLevels
from granian.server import Server
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

_DATABASE = "BENCHMARKS_DATABASE"
_SEARCH = """
SELECT b.document, b.wkb FROM boundaries_places p JOIN boundaries b ON b.seq = p.seq
WHERE p.west <= ?3 AND p.east >= ?1 AND p.south <= ?4 AND p.north >= ?2 ORDER BY b.seq
"""


class _Polygon(msgspec.Struct):
    coordinates: list[list[list[float]]]


class _Search(msgspec.Struct, rename="camel"):
    intersects_with_geometry: _Polygon


def application() -> Starlette:
    """Factory for granian's worker process."""
    connection = sqlite3.connect(f"file:{os.environ[_DATABASE]}?mode=ro", uri=True, check_same_thread=False)
    decode = msgspec.json.Decoder(_Search).decode

    async def search(request: Request) -> Response:
        outer, *holes = decode(await request.body()).intersects_with_geometry.coordinates
        shape = shapely.Polygon(outer, holes)
        shapely.prepare(shape)
        found: list[Any] = connection.execute(_SEARCH, shape.bounds).fetchall()
        met = shapely.intersects(shape, shapely.from_wkb([wkb for _, wkb in found]))
        page = b",".join([document for (document, _), is_met in zip(found, met, strict=True) if is_met])
        return Response(b'{"value":[%b]}' % page, media_type="application/json; charset=utf-8")

    return Starlette(routes=[Route("/{path:path}", search, methods=["POST"])])


def main() -> None:
    port, database, certificate, key = sys.argv[1:]
    os.environ[_DATABASE] = database
    # As `headland.server.processes` has it for the public base.
    Server(
        "benchmarks.bare_index:application",
        address="127.0.0.1",
        port=int(port),
        interface=Interfaces.ASGINL,
        factory=True,
        http=HTTPModes.auto,
        websockets=False,
        workers=1,
        ssl_cert=Path(certificate),
        ssl_key=Path(key),
        log_level=LogLevels.warning,
    ).serve()


if __name__ == "__main__":
    main()
