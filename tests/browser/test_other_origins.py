"""What a page of another origin can have a real browser send to the private port, where that lets anybody in."""

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest
from playwright.sync_api import Browser as Chromium

from tests.browser.conftest import CHROMIUM
from tests.serving import Served, eventually, running

#: As a page may send them without a question first: what the body is made of.
WAYS = {
    "of no type": "new Blob([text])",
    "as text": "text",
    "as a form": "new URLSearchParams([[text, '']])",
    "as a form in parts": "(f => (f.append('file', new Blob([text])), f))(new FormData())",
}


class Page(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        self.send_response(200)
        self.send_header("content-type", "text/html")
        self.end_headers()
        self.wfile.write(b"<title>Weeds</title>")

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    served = Served(tmp_path_factory.mktemp("open") / "home", server_private_authentication="none")
    with running(served):
        yield served


@pytest.fixture(scope="module")
def elsewhere() -> Iterator[str]:
    """A page of another origin."""
    with ThreadingHTTPServer(("127.0.0.1", 0), Page) as server:
        threading.Thread(target=server.serve_forever).start()
        yield f"http://127.0.0.1:{server.server_port}/"
        server.shutdown()


@pytest.mark.parametrize("way", WAYS)
def test_nothing_is_submitted_for_a_page_elsewhere(
    chromium: Chromium, served: Served, elsewhere: str, way: str
) -> None:
    text = json.dumps({"file": "wasbs:///jars/weeds.py"})
    before = _refused(served)
    page = chromium.new_page()
    page.goto(elsewhere)
    page.evaluate(
        f"async ([url, text]) => {{ await fetch(url, {{method: 'POST', mode: 'no-cors', body: {WAYS[way]}}}) }}",
        [f"{served.private_url}/batches", text],
    )
    eventually(lambda: _refused(served) > before, "the request has come and is refused")
    assert served.private.get("/batches").json()["total"] == 0
    page.close()


def test_a_name_of_the_pages_own_opens_nothing(chromium: Chromium, served: Served) -> None:
    browser = chromium.browser_type.launch(
        executable_path=CHROMIUM,
        args=["--no-sandbox", "--host-resolver-rules=MAP weeds.example 127.0.0.1"],
    )
    page = browser.new_page()
    answer = page.goto(f"http://weeds.example:{served.private_port}/batches")
    assert answer is not None
    assert answer.status == 421
    browser.close()


def _refused(served: Served) -> int:
    lines = served.log.read_text().splitlines()
    return sum('"path":"/batches"' in line and '"status":403' in line for line in lines)
