"""A stand-in for the services, in this process, and a `headland` that talks to it."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs

import httpx
import pytest
from click.testing import CliRunner, Result
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from headland.cli.main import cli
from headland.cli.surroundings import Surroundings

URL = "https://headland.example:8443"
PRIVATE = "http://headland.example:8998"
CREDENTIALS = {
    "HEADLAND_URL": URL,
    "HEADLAND_TENANT": "farm",
    "HEADLAND_CLIENT_ID": "client-1",
    "HEADLAND_CLIENT_SECRET": "s3cr3t-of-client-1",
}
SHOWN_ONCE = "abc~shown~once"
EXPIRES = "2028-11-20T10:26:06.123456Z"


@dataclass
class StandIn:
    """The services' answers, from plain dictionaries that a test arranges."""

    secret: str = CREDENTIALS["HEADLAND_CLIENT_SECRET"]
    batches: dict[int, dict[str, Any]] = field(default_factory=dict)
    logs: dict[int, list[str]] = field(default_factory=dict)
    progress: dict[int, dict[str, Any]] = field(default_factory=dict)
    applications: dict[str, dict[str, Any]] = field(default_factory=dict)
    blobs: dict[str, bytes] = field(default_factory=dict)
    #: Answers that go before all others, by method and path. An exception is raised; what can be called is
    #: called, and the request then answered as ever.
    instead: dict[tuple[str, str], list[Any]] = field(default_factory=dict)
    #: What happens as time passes: one a sleep.
    events: list[Callable[[], object]] = field(default_factory=list)
    requests: list[httpx.Request] = field(default_factory=list)
    tokens: list[str] = field(default_factory=list)
    #: Tokens that are taken no more.
    revoked: set[str] = field(default_factory=set)
    now: float = 1_800_000_000.0
    sleeps: list[float] = field(default_factory=list)
    #: Lines and blobs in a page at most.
    page: int = 1000
    #: Whether logs can be followed by server-sent events, which Livy does not know. The service stops, as it were,
    #: whenever it has told all there is.
    offers_events: bool = False

    def sleep(self, seconds: float) -> None:
        self.sleeps.append(seconds)
        self.now += seconds
        assert len(self.sleeps) < 5000, "waits for ever"
        if self.events:
            self.events.pop(0)()

    def sent(self, method: str, path: str) -> list[httpx.Request]:
        """Requests seen, by method and path as they went over the wire."""
        return [r for r in self.requests if r.method == method and r.url.raw_path.decode() == path]

    def app(self) -> Starlette:
        routes = [
            Route("/{tenant}/oauth2/v2.0/token", self.token, methods=["POST"]),
            Route("/{tenant}/oauth2/token", self.token_v1, methods=["POST"]),
            *self._batch_routes("/livy/batches"),
            *self._batch_routes("/batches"),
            Route("/identity/applications", self.list_applications),
            Route("/identity/applications", self.register, methods=["POST"]),
            Route("/identity/applications/{id}", self.application, methods=["GET", "PATCH", "DELETE"]),
            Route("/identity/applications/{id}/secrets", self.secrets, methods=["GET", "POST"]),
            Route("/identity/applications/{id}/secrets/{secret}", self.revoke, methods=["DELETE"]),
            Route("/storage/{account}/{container}", self.list_blobs),
            Route("/storage/{account}/{container}/{path:path}", self.blob, methods=["PUT", "GET", "DELETE"]),
        ]
        return Starlette(routes=routes)

    def _batch_routes(self, base: str) -> list[Route]:
        return [
            Route(base, self.list_batches),
            Route(base, self.submit, methods=["POST"]),
            Route(f"{base}/{{id}}", self.batch),
            Route(f"{base}/{{id}}", self.delete, methods=["DELETE"]),
            Route(f"{base}/{{id}}/state", self.state),
            Route(f"{base}/{{id}}/progress", self.batch_progress),
            Route(f"{base}/{{id}}/log", self.log),
            Route(f"{base}/{{id}}/kill", self.kill, methods=["POST"]),
        ]

    def add_batch(self, state: str, name: str | None = None, log: list[str] | None = None) -> dict[str, Any]:
        id_ = len(self.batches)
        self.batches[id_], self.logs[id_] = make_batch(id_, state, name), log or []
        return self.batches[id_]

    async def token(self, request: Request) -> Response:
        return self._token(request, parse_qs((await request.body()).decode()), "scope", 3599)

    async def token_v1(self, request: Request) -> Response:
        return self._token(request, parse_qs((await request.body()).decode()), "resource", "3599")

    def _token(self, request: Request, form: dict[str, list[str]], field_: str, lifetime: Any) -> Response:
        assert form["grant_type"] == ["client_credentials"]
        if request.path_params["tenant"] != "farm" or form["client_secret"] != [self.secret]:
            text = "AADSTS7000215: Invalid client secret provided.\r\nTrace ID: 1\r\nCorrelation ID: 2"
            return JSONResponse({"error": "invalid_client", "error_description": text}, 401)
        wanted = form[field_][0]
        if field_ == "scope" and not wanted.endswith("/.default"):
            return JSONResponse({"error": "invalid_scope", "error_description": "no such scope"}, 400)
        token = f"token-{len(self.tokens) + 1}-{form['client_id'][0]}-{wanted}"
        self.tokens.append(token)
        return JSONResponse({"token_type": "Bearer", "expires_in": lifetime, "access_token": token})

    def takes(self, authorization: str) -> bool:
        token = authorization.removeprefix("Bearer ")
        return token in set(self.tokens) - self.revoked and token.endswith(f"{URL}/.default")

    def _batch(self, request: Request) -> dict[str, Any]:
        named = request.path_params["id"]
        for batch in self.batches.values():
            if named in {str(batch["id"]), batch["name"]}:
                return batch
        raise Refused(404, f"Session '{named}' not found.")

    async def list_batches(self, request: Request) -> Response:
        query = request.query_params
        start, size = int(query["from"]), int(query["size"])
        found = [
            one
            for one in self.batches.values()
            if one["state"] in query.get("state", one["state"]).split(",")
            and all(one[name] == query.get(name, one[name]) for name in ("owner", "name"))
        ]
        if query.get("order") == "desc":
            found.reverse()
        return JSONResponse({"from": start, "total": len(found), "sessions": found[start : start + size]})

    async def submit(self, request: Request) -> Response:
        assert request.headers["x-requested-by"] == "headland-cli"
        wanted = await request.json()
        if "://" not in wanted["file"]:
            raise Refused(400, "Rejected: local path.")
        return JSONResponse(self.add_batch("starting", wanted.get("name")), 201)

    async def batch(self, request: Request) -> Response:
        return JSONResponse(self._batch(request))

    async def state(self, request: Request) -> Response:
        batch = self._batch(request)
        return JSONResponse({"id": batch["id"], "state": batch["state"]})

    async def batch_progress(self, request: Request) -> Response:
        batch = self._batch(request)
        if batch["id"] not in self.progress:
            return Response(status_code=404)
        return JSONResponse({**self.progress[batch["id"]], "id": batch["id"], "state": batch["state"]})

    async def log(self, request: Request) -> Response:
        id_ = self._batch(request)["id"]
        if self.offers_events and "text/event-stream" in request.headers["accept"]:
            begin = int(request.headers.get("last-event-id", request.query_params["from"]))
            return Response(self._events(id_, begin), media_type="text/event-stream")
        lines, size = self.logs[id_], min(int(request.query_params["size"]), self.page)
        start = int(request.query_params.get("from", max(0, len(lines) - size)))
        page = lines[start : start + size]
        return JSONResponse({"id": id_, "from": start, "total": len(lines), "log": page})

    def _events(self, id_: int, begin: int) -> str:
        told = []
        for number, line in enumerate(self.logs[id_][begin:], begin + 1):
            data = "".join(f"data: {part}\n" for part in line.replace("\r", "\n").split("\n"))
            told.append(f": a comment\n\nid: {number}\n{data}\n")
        if (state := self.batches[id_]["state"]) in {"success", "dead", "killed"}:
            told.append(f"event: end\ndata: {state}\n\n")
        return "".join(told)

    async def kill(self, request: Request) -> Response:
        assert request.headers["x-requested-by"] == "headland-cli"
        self._batch(request)["state"] = "killed"
        return JSONResponse({"msg": "killed"})

    async def delete(self, request: Request) -> Response:
        del self.batches[self._batch(request)["id"]]
        return JSONResponse({"msg": "deleted"})

    def _application(self, request: Request) -> dict[str, Any]:
        if request.path_params["id"] not in self.applications:
            raise Refused(404, "There is no such application.")
        return self.applications[request.path_params["id"]]

    async def list_applications(self, _: Request) -> Response:
        return JSONResponse({"applications": list(self.applications.values())})

    async def register(self, request: Request) -> Response:
        made = make_application(f"app-{len(self.applications)}", **await request.json())
        self.applications[made["clientId"]] = made
        return JSONResponse(made, 201)

    async def application(self, request: Request) -> Response:
        application = self._application(request)
        if request.method == "DELETE":
            del self.applications[application["clientId"]]
            return Response(status_code=204)
        if request.method == "PATCH":
            application.update(await request.json())
        return JSONResponse(application)

    async def secrets(self, request: Request) -> Response:
        application = self._application(request)
        if request.method == "GET":
            return JSONResponse({"secrets": application["secrets"]})
        wanted = await request.json()
        made = make_secret(f"secret-{len(application['secrets'])}", wanted.get("name"))
        application["secrets"].append(made)
        ids = {"clientId": application["clientId"], "tenantId": application["tenantId"]}
        return JSONResponse({**made, "secret": SHOWN_ONCE, **ids}, 201)

    async def revoke(self, request: Request) -> Response:
        application = self._application(request)
        kept = [item for item in application["secrets"] if item["id"] != request.path_params["secret"]]
        if len(kept) == len(application["secrets"]):
            raise Refused(404, "There is no such secret.")
        application["secrets"] = kept
        return Response(status_code=204)

    async def list_blobs(self, request: Request) -> Response:
        prefix, marker = request.query_params.get("prefix", ""), request.query_params.get("marker", "")
        found = sorted(name for name in self.blobs if name.startswith(prefix) and name > marker)
        page = [make_blob(name, len(self.blobs[name])) for name in found[: self.page]]
        more = found[self.page - 1] if len(found) > self.page else None
        return JSONResponse({"blobs": page, "nextMarker": more})

    async def blob(self, request: Request) -> Response:
        path = request.path_params["path"]
        if request.method == "PUT":
            self.blobs[path] = await request.body()
            assert request.headers["content-length"] == str(len(self.blobs[path]))
            return JSONResponse(make_blob(path, len(self.blobs[path])), 201)
        if path not in self.blobs:
            raise Refused(404, "There is no such blob.")
        if request.method == "DELETE":
            del self.blobs[path]
            return Response(status_code=204)
        return Response(self.blobs[path])


class Refused(HTTPException):
    """An error in the services' form."""


def make_batch(id_: int, state: str, name: str | None) -> dict[str, Any]:
    ids = {"id": id_, "name": name, "owner": "client-1", "proxyUser": None}
    links = {"driverLogUrl": None, "sparkUiUrl": None, "executorLogUrls": None}
    return {**ids, "state": state, "appId": None, "appInfo": links, "log": []}


def make_secret(id_: str, name: str | None = None) -> dict[str, Any]:
    return {"id": id_, "name": name, "hint": "abc", "createdAt": EXPIRES, "expiresAt": EXPIRES}


def make_application(client_id: str, name: str, administrator: bool = False) -> dict[str, Any]:
    return {
        "clientId": client_id,
        "tenantId": "tenant-1",
        "tenantName": "Farm",
        "objectId": "object-1",
        "name": name,
        "administrator": administrator,
        "disabled": False,
        "createdAt": EXPIRES,
        "createdBy": None,
        "secrets": [],
    }


def make_blob(path: str, size: int) -> dict[str, Any]:
    return {"path": path, "url": f"wasbs:///{path}", "size": size, "modified": 1_858_328_766_123}


class InProcess(httpx.BaseTransport):
    """Carries a synchronous client's requests to the stand-in."""

    def __init__(self, stand_in: StandIn) -> None:
        self._stand_in = stand_in
        app = stand_in.app()
        app.add_exception_handler(
            Refused, lambda _, refused: JSONResponse({"msg": refused.detail}, refused.status_code)
        )
        self._transport = httpx.ASGITransport(app)

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        request.read()
        self._stand_in.requests.append(request)
        path = request.url.raw_path.decode().partition("?")[0]
        if waiting := self._stand_in.instead.get((request.method, path)):
            answer = waiting.pop(0)
            if isinstance(answer, BaseException):
                raise answer
            if not callable(answer):
                return answer
            answer()
        if request.url.scheme == "http":
            assert path.startswith("/batches"), "the private listener serves jobs alone"
        elif not path.endswith("/token") and not self._stand_in.takes(request.headers["authorization"]):
            return httpx.Response(401, json={"msg": "The token has expired."})
        return asyncio.run(self._answer(request))

    async def _answer(self, request: httpx.Request) -> httpx.Response:
        answer = await self._transport.handle_async_request(request)
        content = b"".join([chunk async for chunk in answer.stream])  # type: ignore[union-attr]
        return httpx.Response(answer.status_code, headers=answer.headers, content=content)


Headland = Callable[..., Result]


@pytest.fixture(autouse=True)
def folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """No test touches the real profile, and none begins with credentials."""
    for variable in CREDENTIALS.keys() | {"HEADLAND_CA", "NO_COLOR", "FORCE_COLOR"}:
        monkeypatch.delenv(variable, raising=False)
    for variable in ("XDG_CONFIG_HOME", "XDG_CACHE_HOME", "HEADLAND_HOME"):
        monkeypatch.setenv(variable, str(tmp_path / variable.lower()))
    (tmp_path / "work").mkdir()
    monkeypatch.chdir(tmp_path / "work")
    monkeypatch.setenv("COLUMNS", "80")
    return tmp_path


@pytest.fixture
def stand_in() -> StandIn:
    return StandIn()


@pytest.fixture
def bare_headland(stand_in: StandIn) -> Headland:
    """`headland ARGUMENTS`, with neither profile nor variables."""
    outside = Surroundings(
        InProcess(stand_in), now=lambda: stand_in.now, monotonic=lambda: stand_in.now, sleep=stand_in.sleep
    )

    def run(*arguments: str, stdin: str | bytes | None = None, **variables: str) -> Result:
        runner = CliRunner(env=variables)
        result = runner.invoke(cli, list(arguments), input=stdin, obj=outside, prog_name="headland")
        if result.exception and not isinstance(result.exception, SystemExit):
            raise result.exception
        return result

    return run


@pytest.fixture
def headland(bare_headland: Headland) -> Headland:
    """`headland ARGUMENTS` with credentials in the environment."""

    def run(*arguments: str, stdin: str | bytes | None = None, **variables: str) -> Result:
        return bare_headland(*arguments, stdin=stdin, **{**CREDENTIALS, **variables})

    return run
