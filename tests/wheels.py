"""Wheels made on the spot, an index of them in a folder, and environments built of them without the network."""

import base64
import contextlib
import hashlib
import threading
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from tests.serving import PATIENCE, Served, eventually


def make_wheel(folder: Path, name: str, version: str, source: str, requires: tuple[str, ...] = ()) -> Path:
    """A pure wheel with one module, `name`, of `source`."""
    folder.mkdir(parents=True, exist_ok=True)
    information = f"{name}-{version}.dist-info"
    metadata = f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n"
    metadata += "".join(f"Requires-Dist: {other}\n" for other in requires)
    files = {
        f"{name}.py": source,
        f"{information}/METADATA": metadata,
        f"{information}/WHEEL": "Wheel-Version: 1.0\nGenerator: tests\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
    }
    record = "".join(f"{path},{_digest(text)},{len(text.encode())}\n" for path, text in files.items())
    files[f"{information}/RECORD"] = record + f"{information}/RECORD,,\n"
    wheel = folder / f"{name}-{version}-py3-none-any.whl"
    with zipfile.ZipFile(wheel, "w") as archive:
        for path, text in files.items():
            archive.writestr(path, text)
    return wheel


def index_of(folder: Path) -> dict[str, str]:
    """Variables by which the installer takes packages from `folder`, and from nowhere else."""
    return {"UV_DEFAULT_INDEX": folder.as_uri(), "UV_FIND_LINKS": str(folder)}


@contextmanager
def slow_index(wheel: Path) -> Iterator[tuple[str, threading.Event]]:
    """An index over HTTP that knows one wheel: its metadata at once (PEP 658), itself once the event is set."""
    goes, name = threading.Event(), wheel.name.partition("-")[0]
    with zipfile.ZipFile(wheel) as archive:
        (metadata,) = (archive.read(path) for path in archive.namelist() if path.endswith("METADATA"))
    digest = hashlib.sha256(wheel.read_bytes()).hexdigest()
    link = f'<a href="/{wheel.name}#sha256={digest}" data-dist-info-metadata="true">{wheel.name}</a>'

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            found = {f"/simple/{name}/": link.encode(), f"/{wheel.name}.metadata": metadata}.get(self.path)
            if self.path == f"/{wheel.name}":
                goes.wait(PATIENCE)
                found = wheel.read_bytes()
            self.send_response(200 if found else 404)
            self.send_header(
                "Content-Type", "text/html" if found == link.encode() else "application/octet-stream"
            )
            self.send_header("Content-Length", str(len(found or b"")))
            self.end_headers()
            with contextlib.suppress(OSError):  # who asked may have been ended
                self.wfile.write(found or b"")

        def log_message(self, *_: object) -> None:
            return

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/simple", goes
    finally:
        goes.set()
        server.shutdown()
        server.server_close()


def make(served: Served, name: str, requirements: str) -> dict[str, Any]:
    """An environment, once its build has ended."""
    answer = served.public.post(
        "/livy/environments",
        json={"name": name, "requirements": requirements},
        headers={"X-Requested-By": "tests"},
    )
    assert answer.status_code in {200, 201}, answer.text
    return built(served, name)


def built(served: Served, name: str) -> dict[str, Any]:
    def look() -> dict[str, Any] | None:
        found: dict[str, Any] = served.public.get(f"/livy/environments/{name}").json()
        return None if found["state"] == "building" else found

    found: dict[str, Any] = eventually(look, f"environment {name} is built")
    return found


def _digest(text: str) -> str:
    digest = base64.urlsafe_b64encode(hashlib.sha256(text.encode()).digest()).rstrip(b"=").decode()
    return f"sha256={digest}"
