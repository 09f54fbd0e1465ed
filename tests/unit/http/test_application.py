"""An API's table of routes and table of errors."""

import asyncio

import httpx
import pytest
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response

from headland.http.application import Application
from headland.http.operations import Answer, Operation


class StormError(Exception):
    """It blows."""


class HailError(StormError):
    """It hails."""


async def told(request: Request) -> Response:
    kinds = {"storm": StormError, "hail": HailError, "lightning": RuntimeError}
    if problem := kinds.get(request.path_params.get("what", "")):
        raise problem
    return PlainTextResponse(f"{request.method} {request.path_params} {request.app.state.farm}")


async def stormy(_request: Request, _error: Exception) -> Response:
    return PlainTextResponse("wait", 503)


DECLARED = [
    ("GET", "/fields"),
    ("POST", "/fields"),
    ("GET", "/fields/{what}"),
    ("DELETE", "/fields/{what}"),
    ("GET", "/fields/{what}/crop"),
    ("PUT", "/{farm}/{path:path}"),
]
APP = Application(
    [Operation(method, path, told, "", {200: Answer("Told.")}) for method, path in DECLARED],
    {StormError: stormy},
    farm="Ekholt",
)


def ask(method: str, path: str, *, raises: bool = True) -> httpx.Response:
    async def once() -> httpx.Response:
        transport = httpx.ASGITransport(APP, raise_app_exceptions=raises)
        async with httpx.AsyncClient(transport=transport, base_url="http://test") as client:
            return await client.request(method, path)

    return asyncio.run(once())


@pytest.mark.parametrize(
    ("method", "path", "text"),
    [
        ("GET", "/fields", "GET {} Ekholt"),
        ("GET", "/fields/", "GET {} Ekholt"),
        ("POST", "/fields", "POST {} Ekholt"),
        ("PUT", "/mill/a/b", "PUT {'farm': 'mill', 'path': 'a/b'} Ekholt"),
        ("GET", "/fields/7", "GET {'what': '7'} Ekholt"),
        ("GET", "/fields/a%20b", "GET {'what': 'a b'} Ekholt"),
        ("GET", "/fields/7/crop", "GET {'what': '7'} Ekholt"),
        ("GET", "/fields/7/crop/", "GET {'what': '7'} Ekholt"),
        # Another route has the path, but only a later one the method.
        ("PUT", "/fields/7", "PUT {'farm': 'fields', 'path': '7'} Ekholt"),
    ],
)
def test_an_operation_is_found_by_path_and_method(method: str, path: str, text: str) -> None:
    assert ask(method, path).text == text


def test_head_is_get_without_its_content() -> None:
    got, told = ask("GET", "/fields/7"), ask("HEAD", "/fields/7")
    assert (told.status_code, told.content) == (200, b"")
    assert int(told.headers["Content-Length"]) == len(got.content) + 1  # the text names the method


@pytest.mark.parametrize("path", ["/", "/barn", "/field"])
def test_a_path_that_there_is_not(path: str) -> None:
    answer = ask("GET", path)
    assert (answer.status_code, answer.json()) == (404, {"msg": "Not Found"})


@pytest.mark.parametrize(
    ("path", "allowed"), [("/fields", "GET, HEAD, POST"), ("/fields/7", "DELETE, GET, HEAD"), ("/a/b", "PUT")]
)
def test_a_method_that_there_is_not(path: str, allowed: str) -> None:
    answer = ask("PATCH", path)
    assert (answer.status_code, answer.headers["Allow"]) == (405, allowed)
    assert answer.json() == {"msg": "Method Not Allowed"}


@pytest.mark.parametrize("what", ["storm", "hail"])
def test_an_error_is_rendered_by_its_class_or_the_nearest_above(what: str) -> None:
    assert (ask("GET", f"/fields/{what}").status_code, ask("GET", f"/fields/{what}").text) == (503, "wait")


def test_what_nobody_foresaw_is_answered_and_goes_on() -> None:
    assert ask("GET", "/fields/lightning", raises=False).status_code == 500
    with pytest.raises(RuntimeError):
        ask("GET", "/fields/lightning")


async def _path(request: Request) -> Response:
    return Response(str(request.path_params))


@pytest.mark.parametrize(
    ("path", "ignore_case", "status"),
    [
        ("/Groups/Meadow", False, 200),
        ("/groups/Meadow", False, 404),
        ("/GROUPS/Meadow", True, 200),
        ("/all", True, 200),
        ("/ALL/", True, 200),
        ("/ALL", False, 404),
    ],
)
@pytest.mark.anyio
async def test_case_counts_unless_it_is_said_not_to(path: str, ignore_case: bool, status: int) -> None:
    operations = [
        Operation("GET", "/Groups/{name}", _path, "", {}),
        Operation("GET", "/all", _path, "", {}),
    ]
    app = Application(operations, {}, ignore_case=ignore_case)
    async with httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://test") as client:
        answer = await client.get(path)
    assert answer.status_code == status
    if "eadow" in path and status == 200:
        assert "Meadow" in answer.text
