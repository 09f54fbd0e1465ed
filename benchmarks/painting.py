"""Until a browser has painted something of the portal, beside the very same bytes as files."""

import shutil
import ssl
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import TYPE_CHECKING

from tests.browser.arriving import set_up

from benchmarks.harness import Aim, Benchmark, Row, SkippedError, Yardstick, interleaved, row
from benchmarks.serving import Served, folder, headland

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Response, StorageState

ROUNDS = 9

#: What people call at once.
AIM = Aim(measured_most=100.0)
YARDSTICK = "the same bytes as files, by Python's own server over TLS"

PAGE = "/portal/"

#: Where the browser has been before: nowhere, so that it starts a process for the pages, too, which is its own affair;
#: where there is nothing, in bare text; and on the page itself.
CASES = (
    ("in a new process of the browser", None),
    ("nothing cached", "/nothing"),
    ("scripts and styles cached", PAGE),
)

_PAINTED = "performance.getEntriesByType('paint').find(e => e.name === 'first-contentful-paint').startTime"


class _Files(SimpleHTTPRequestHandler):
    """Files over kept connections."""

    protocol_version = "HTTP/1.1"

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the library's own name
        """Nothing: nobody reads it."""


def paint() -> list[Row]:
    """The overview, which is the first page of who is signed in: with nothing in the browser's cache, and as every
    visit after the first one finds it.
    """
    with folder() as within, headland(within) as served, _chromium() as chromium:
        portal = f"https://localhost:{served.port}"
        signed_in = _sign_in(chromium, served, portal)
        files = within / "files"
        _save(chromium, signed_in, portal, files)
        with _serving(files, served.home / "tls") as bare:
            rows = []
            for name, before in CASES:
                measures = [partial(_painted, chromium, signed_in, at, before) for at in (portal, bare)]
                ours, theirs = interleaved(ROUNDS, *measures)
                yardstick = Yardstick(YARDSTICK, theirs)
                rows.append(row(f"portal, first paint, {name}", "ms", ours, yardstick, AIM))
            return rows


@contextmanager
def _chromium() -> Iterator["Browser"]:
    try:
        from playwright.sync_api import sync_playwright  # noqa: PLC0415 - the other benchmarks do without
    except ModuleNotFoundError:
        raise SkippedError("Playwright is not installed (make bench)") from None
    path = shutil.which("chromium") or shutil.which("chromium-browser")
    if path is None:
        raise SkippedError("Chromium is not installed (apt-get install chromium)")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=["--no-sandbox"])
        yield browser
        browser.close()


def _sign_in(chromium: "Browser", served: Served, portal: str) -> "StorageState":
    """What the browser of somebody holds who has just come by a set-up link."""
    token = served.token(f"{portal}/.default")
    with served.client() as client:
        headers = {"authorization": f"Bearer {token}"}
        added = client.post("/identity/people", json={"userName": "ada"}, headers=headers)
    context = chromium.new_context(ignore_https_errors=True)
    page = context.new_page()
    set_up(page, added.raise_for_status().json()["setUpLink"])
    state = context.storage_state()
    context.close()
    return state


def _save(chromium: "Browser", signed_in: "StorageState", portal: str, files: Path) -> None:
    """Keep what the browser gets of the first page, by its paths."""
    context = chromium.new_context(ignore_https_errors=True, storage_state=signed_in)
    page = context.new_page()
    answers: list[Response] = []

    def keep(answer: "Response") -> None:
        answers.append(answer)

    page.on("response", keep)
    page.goto(f"{portal}/portal/", wait_until="networkidle")
    for answer in answers:
        path = answer.url.removeprefix(portal).lstrip("/")
        file = files / (f"{path}index.html" if path.endswith("/") else path)
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(answer.body())
    context.close()


@contextmanager
def _serving(files: Path, tls: Path) -> Iterator[str]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(_Files, directory=str(files)))
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(tls / "server.pem", tls / "server.key")
    server.socket = context.wrap_socket(server.socket, server_side=True)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"https://localhost:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()


def _painted(chromium: "Browser", signed_in: "StorageState", base: str, before: str | None) -> float:
    """Milliseconds from the navigation to the first paint that has content, as the browser tells it; for one that has
    been at another path `before`.
    """
    context = chromium.new_context(ignore_https_errors=True, storage_state=signed_in)
    page = context.new_page()
    if before is not None:
        page.goto(f"{base}{before}", wait_until="networkidle")
    page.goto(f"{base}{PAGE}")
    page.wait_for_function(f"() => {_PAINTED.replace('.startTime', '')}")
    painted = float(page.evaluate(_PAINTED))
    context.close()
    return painted


BENCHMARKS = (Benchmark("painting", "paint the portal's first page", paint),)
