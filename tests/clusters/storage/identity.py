"""A managed identity's endpoint for programs that tests start themselves, with real tokens of a served Headland."""

import base64
import json
import secrets
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, urlsplit

from tests.serving import Served


@contextmanager
def identity_of(served: Served) -> Iterator[dict[str, str]]:
    """The environment of a program that acts as the administrator."""
    header = secrets.token_hex(16)

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            resource = parse_qs(urlsplit(self.path).query)["resource"][0]
            if self.headers.get("X-IDENTITY-HEADER") != header:
                self.send_error(401)
                return
            token = served.token(f"{resource}/.default")
            expires = json.loads(base64.urlsafe_b64decode(token.split(".")[1] + "=="))["exp"]
            body = json.dumps({"access_token": token, "expires_on": str(expires)}).encode()
            self.send_response(200)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            return

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield {
            "IDENTITY_ENDPOINT": f"http://127.0.0.1:{server.server_port}/token",
            "IDENTITY_HEADER": header,
        }
    finally:
        server.shutdown()
        server.server_close()
