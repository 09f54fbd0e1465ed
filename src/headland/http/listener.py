"""What a port answers: the applications mounted there, and round every request its id, one log line, its
metrics, headers for browsers, compression, and an answer to what nobody foresaw.
"""

import re
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import structlog
from msgspec import UNSET
from starlette.middleware.gzip import DEFAULT_EXCLUDED_CONTENT_TYPES, GZipMiddleware
from starlette.requests import Request
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from headland.http.answered import Answered, timestamp
from headland.http.answers import json_answer
from headland.http.application import Application
from headland.http.connections import Connections, client_of
from headland.http.cross_site import CrossSite
from headland.http.drain_body import BodyPace, DrainBody, may_have_body
from headland.http.failures import internal_error
from headland.http.request_ids import PLAIN_ID, REQUEST_ID, new_id
from headland.http.traffic import Traffic
from headland.http.trusted_proxies import TrustedProxies

_log = structlog.get_logger("headland.http")

_POLICY = b"content-security-policy"

#: Key of a request's scope under which a handler leaves what browsers may do with its very answer, where that is
#: neither its application's nor the listener's policy.
OWN_POLICY = "headland.policy"

#: Headers that tell browsers to trust little (https://owasp.org/www-project-secure-headers/).
SECURITY_HEADERS = (
    (b"x-content-type-options", b"nosniff"),
    (b"x-frame-options", b"SAMEORIGIN"),
    (_POLICY, b"default-src 'self'; frame-ancestors 'self'"),
    (b"referrer-policy", b"no-referrer"),
)
STRICT_TRANSPORT = (b"strict-transport-security", b"max-age=31536000")

#: Below this many bytes compressing costs more than it saves.
SMALLEST_COMPRESSED = 1024
#: Blobs go as they are stored: archives are compressed already, and a client wants to know how long they are. Lines
#: go as they come: a compressor would keep them until it has many.
_UNCOMPRESSED = (*DEFAULT_EXCLUDED_CONTENT_TYPES, "application/octet-stream", "application/x-ndjson")

_Headers = list[tuple[bytes, bytes]]

#: An application for callers that want plain answers, and for those that take compressed ones; and the headers of its
#: answers.
_Applications = tuple[ASGIApp, ASGIApp, _Headers]


@dataclass(frozen=True, slots=True)
class Hosts:
    """An application that has every host name of one label below a domain."""

    domain: str
    application: Application
    #: Where the request's scope has the label.
    key: str
    #: The listener's own host name, which may be below the domain, too.
    own: str = ""

    def name_in(self, host: bytes) -> str | None:
        """The label of a `Host` header below the domain, if it is one."""
        name = host.decode("latin-1").lower()
        if not name.endswith("]"):
            name = name.rpartition(":")[0] or name
        name = name.rstrip(".")
        label, _, domain = name.partition(".")
        return label if label and domain == self.domain and name != self.own else None


class Listener:
    """Outermost ASGI application."""

    def __init__(
        self,
        name: str,
        mounted: Mapping[str, Application],
        at_root: Sequence[Application],
        *,
        tls: bool,
        traffic: Traffic | None = None,
        hosts: Hosts | None = None,
        pace: BodyPace | None = None,
        connections: Connections | None = None,
        proxies: TrustedProxies | None = None,
        cross_site: CrossSite | None = None,
    ) -> None:
        """`mounted` is by path prefix. All other paths are for the first `at_root` that knows them, else for
        the last. `Strict-Transport-Security` is said only where TLS is spoken. `traffic` is told of what was
        answered. Where a request's host is one of `hosts`, its path does not count. Bodies have to come at `pace`.
        `connections` is told of who asks. Of requests by way of `proxies` the client is who called those. `cross_site`
        tells who is refused for coming from another origin's page.
        """
        self._name = name
        self._pace = pace or BodyPace()
        self.connections = connections
        self._proxies = proxies
        self._cross_site = cross_site
        self.traffic = traffic or Traffic(name)
        self._headers = headers = [*SECURITY_HEADERS, STRICT_TRANSPORT] if tls else [*SECURITY_HEADERS]
        self._mounted = {prefix: _both(app, headers) for prefix, app in mounted.items()}
        self._prefix = re.compile(f"({'|'.join(map(re.escape, mounted))})/") if mounted else None
        self._at_root = [(app, _both(app, headers)) for app in at_root]
        self._hosts = hosts
        self._at_hosts = _both(hosts.application, headers) if hosts else self._at_root[-1][1]

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            return
        started = time.perf_counter()
        headers: dict[bytes, bytes] = dict(scope["headers"])
        request_id, compressed = _read(headers)
        scope["state"] = {"request_id": request_id}
        outer = REQUEST_ID.set(request_id)
        status = 0
        if may_have_body(scope, headers):
            body = DrainBody(receive, send, scope, headers, self._pace)
            receive, send = body.receive, body.send
        connections = self.connections
        client = client_of(scope.get("client")) if connections is not None else None
        if connections is not None and client is not None:
            connections.begin(client)
        # The connection is the proxy's.
        if self._proxies is not None:
            self._proxies.restore(scope)
        hosts = self._hosts
        refusal = self._cross_site.refusal(scope, headers) if self._cross_site is not None else None
        if refusal is not None:
            refused = json_answer({"msg": refusal[1]}, refusal[0])
            application: _Applications = (refused, refused, self._headers)
        else:
            application = self._at_path(scope) if hosts is None else self._at_host(hosts, scope, headers)

        async def send_with_headers(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                own = (b"x-request-id", request_id.encode())
                added = application[2]
                if OWN_POLICY in scope:
                    added = _with_policy(added, scope[OWN_POLICY])
                message["headers"] = [*message["headers"], *added, own]
            await send(message)

        try:
            await (application[1] if compressed else application[0])(scope, receive, send_with_headers)
        except Exception as error:  # noqa: BLE001 - whatever it was, the caller gets an answer and the log the cause
            _log.exception("request.failed", method=scope["method"], path=scope["path"])
            if status == 0:
                answer = await internal_error(Request(scope), error)
                await answer(scope, receive, send_with_headers)
        finally:
            REQUEST_ID.reset(outer)
            if connections is not None and client is not None:
                connections.end(client)
            self.traffic.add(
                Answered(
                    timestamp(time.time()),
                    self._name,
                    scope["method"],
                    scope["path"],
                    scope.get("route", "unmatched"),
                    status,
                    round((time.perf_counter() - started) * 1000, 3),
                    scope["state"].get("principal"),
                    request_id,
                    scope["state"].get("job", UNSET),
                )
            )

    async def answer_inside(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request that this very process makes of an application at one of the listener's paths: neither
        logged nor counted, as the request that it is made for is.
        """
        await self._at_path(scope)[0](scope, receive, send)

    def _at_host(self, hosts: Hosts, scope: Scope, headers: Mapping[bytes, bytes]) -> _Applications:
        name = hosts.name_in(headers.get(b"host", b""))
        if name is None:
            return self._at_path(scope)
        scope[hosts.key] = name
        return self._at_hosts

    def _at_path(self, scope: Scope) -> _Applications:
        path: str = scope["path"]
        if self._prefix is not None and (found := self._prefix.match(path)) is not None:
            scope["root_path"] = found[1]
            return self._mounted[found[1]]
        *others, (_, fallback) = self._at_root
        for app, applications in others:
            if app.knows(path):
                return applications
        return fallback


def _both(app: Application, headers: _Headers) -> _Applications:
    """Both of `app`."""
    if app.policy is not None:
        headers = _with_policy(headers, app.policy)
    if app.headers:
        headers = [*headers, *app.headers]
    if not app.compressed:
        return app, app, headers
    compressing = GZipMiddleware(app, minimum_size=SMALLEST_COMPRESSED, exclude_content_types=_UNCOMPRESSED)
    return app, compressing, headers


def _with_policy(headers: _Headers, policy: str) -> _Headers:
    return [(_POLICY, policy.encode()) if name == _POLICY else (name, said) for name, said in headers]


def _read(headers: Mapping[bytes, bytes]) -> tuple[str, bool]:
    """The request's id, and whether its caller takes compressed answers."""
    request_id = headers.get(b"x-request-id", b"")
    own = request_id.decode() if PLAIN_ID.fullmatch(request_id) else new_id()
    return own, b"gzip" in headers.get(b"accept-encoding", b"")
