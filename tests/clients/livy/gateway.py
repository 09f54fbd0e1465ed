"""A gateway in front of the service, as deployments have one: while nobody is behind it, it says 503."""

import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType

import httpx

#: Headers that are each connection's own (RFC 9110 section 7.6.1), or made anew by who sends.
_OWN = {"connection", "content-length", "transfer-encoding", "host", "content-encoding", "accept-encoding"}


class Gateway:
    """Hands every request on. Use it as a context."""

    def __init__(self, behind: str) -> None:
        """`behind` is the service's address."""

        class Handler(BaseHTTPRequestHandler):
            def _hand_on(self) -> None:
                body = self.rfile.read(int(self.headers.get("content-length") or 0))
                headers = {name: value for name, value in self.headers.items() if name.lower() not in _OWN}
                try:
                    answer = httpx.request(
                        self.command, behind + self.path, content=body, headers=headers, timeout=60
                    )
                    status, content = answer.status_code, answer.content
                    kept = [(k, v) for k, v in answer.headers.items() if k.lower() not in _OWN]
                except httpx.TransportError:
                    status, content, kept = 503, b"{}", []
                self.send_response(status)
                for name, value in kept:
                    self.send_header(name, value)
                self.send_header("content-length", str(len(content)))
                self.end_headers()
                self.wfile.write(content)

            do_GET = do_POST = do_DELETE = _hand_on  # noqa: N815 - the library's names

            def log_message(self, *_: object) -> None:  # type: ignore[override]
                """Its own log is of no interest."""

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._thread = threading.Thread(target=self._server.serve_forever)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_port}"

    def __enter__(self) -> "Gateway":
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()
