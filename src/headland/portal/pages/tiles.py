"""What maps in the pages draw: the farm service's vector tiles, for who is signed in."""

from urllib.parse import urlencode

from starlette.responses import JSONResponse, Response

from headland.portal.farm_paths import INSTANCE_PATTERN, tiles_path
from headland.portal.farms import FarmService
from headland.portal.visits import Visit, page

_TILES = f"{INSTANCE_PATTERN}/tiles"


async def describe_tiles(visit: Visit) -> Response:
    """TileJSON, with the addresses of the tiles here: a browser has no token for the farm service's own."""
    instance, query = visit.path("instance"), dict(visit.request.query_params)
    description = await FarmService(visit.inside, instance).tiles(query)
    address = visit.portal.settings.server.public_url + tiles_path(instance)
    asked = f"?{urlencode(query)}" if query else ""
    description["tiles"] = [f"{address}/{{z}}/{{x}}/{{y}}{asked}"]
    return JSONResponse(description, headers={"cache-control": "no-store"})


async def show_tile(visit: Visit) -> Response:
    square = [visit.path(name) for name in ("zoom", "column", "row")]
    farm = FarmService(visit.inside, visit.path("instance"))
    known = visit.request.headers.get("if-none-match")
    answered = await farm.tile(square, dict(visit.request.query_params), known)
    headers = {
        name: answered.headers[name]
        for name in ("etag", "cache-control", "content-type")
        if name in answered.headers
    }
    return Response(answered.body, answered.status, headers)


PAGES = (page("GET", _TILES, describe_tiles), page("GET", f"{_TILES}/{{zoom}}/{{column}}/{{row}}", show_tile))
