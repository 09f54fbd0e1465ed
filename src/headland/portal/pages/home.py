"""Where one arrives."""

from starlette.responses import Response

from headland.portal.visits import Visit, page


async def show_home(visit: Visit) -> Response:
    return visit.show("home.html")


PAGES = (page("GET", "/", show_home),)
