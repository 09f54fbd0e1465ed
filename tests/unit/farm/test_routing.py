"""Operations found by path."""

from typing import Any

import pytest
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from headland.farm.routing import Routes
from headland.http.operations import Operation


async def handle(_request: Request) -> Response:
    return Response()


def routes(*paths: str) -> Routes:
    return Routes([Operation("GET", path, handle, "", {}) for path in paths])


@pytest.mark.parametrize(
    ("path", "found", "values"),
    [
        ("/parties", "/parties", {}),
        ("/parties/p1", "/parties/{partyId}", {"partyId": "p1"}),
        ("/parties/cascade-delete/j1", "/parties/cascade-delete/{jobId}", {"jobId": "j1"}),
        ("/parties/cascade-delete", "/parties/{partyId}", {"partyId": "cascade-delete"}),
        (
            "/parties/cascade-delete/farms/f1",
            "/parties/{partyId}/farms/{farmId}",
            {"partyId": "cascade-delete", "farmId": "f1"},
        ),
        ("/parties/p1/farms", "/parties/{partyId}/farms", {"partyId": "p1"}),
        ("/parties/p1/farms/f1", "/parties/{partyId}/farms/{farmId}", {"partyId": "p1", "farmId": "f1"}),
        ("/parties:overlap", "/parties:overlap", {}),
        ("/oauth/tokens/:connect", "/oauth/tokens/:connect", {}),
    ],
)
def test_paths(path: str, found: str, values: dict[str, Any]) -> None:
    known = routes(
        "/parties",
        "/parties/{partyId}",
        "/parties/cascade-delete/{jobId}",
        "/parties/{partyId}/farms",
        "/parties/{partyId}/farms/{farmId}",
        "/parties:overlap",
        "/oauth/tokens/:connect",
    )
    operation, parameters = known.find("GET", path.split("/")[1:])
    assert (operation.path, parameters) == (found, values)
    assert known.find("HEAD", path.split("/")[1:])[0] is operation


@pytest.mark.parametrize("path", ["/", "/farms", "/parties/", "/parties/p1/x", "/oauth", "/parties//farms"])
def test_paths_that_lead_nowhere(path: str) -> None:
    with pytest.raises(HTTPException) as refused:
        routes("/parties/{partyId}/farms", "/oauth/tokens").find("GET", path.split("/")[1:])
    assert refused.value.status_code == 404


def test_what_is_allowed_is_said() -> None:
    with pytest.raises(HTTPException) as refused:
        routes("/parties").find("PUT", ["parties"])
    assert (refused.value.status_code, refused.value.headers) == (405, {"allow": "GET"})
