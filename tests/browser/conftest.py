"""A real Chromium against a real `headland serve`: Debian's, by Playwright."""

import json
import os
import shutil
import subprocess
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from playwright.sync_api import Browser as Chromium
from playwright.sync_api import Page, sync_playwright

from headland.portal.assets import BUILT
from tests.browser.arriving import set_up
from tests.serving import HEADLAND, Served
from tests.wheels import index_of, make_wheel

#: Folder for pictures of each page, where somebody wants to look at them.
PICTURES = os.environ.get("PORTAL_PICTURES")

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
AXE = Path(__file__).parent / "node_modules/axe-core/axe.min.js"


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    missing = [
        what
        for what, there in (
            ("chromium (apt-get install chromium)", CHROMIUM),
            ("axe-core (npm ci --prefix tests/browser)", AXE.exists()),
            ("the portal's scripts (make assets)", BUILT.is_dir()),
        )
        if not there
    ]
    if not missing:
        return
    reason = f"missing: {', '.join(missing)}"
    if os.environ.get("REQUIRE_PEERS") == "1":
        raise pytest.UsageError(reason)
    here = Path(__file__).parent
    for item in items:
        if here in item.path.parents:
            item.add_marker(pytest.mark.skip(reason=reason))


@dataclass
class Deployment:
    """A served Headland with people in it."""

    served: Served

    def headland(self, *arguments: str) -> dict:
        done = subprocess.run(
            [str(HEADLAND), *arguments, *([] if "--quiet" in arguments else ["--json"])],
            env=self.served.environment
            | {
                "HEADLAND_URL": self.served.url,
                "HEADLAND_TENANT": self.served.administrator["tenantId"],
                "HEADLAND_CLIENT_ID": self.served.administrator["clientId"],
                "HEADLAND_CLIENT_SECRET": self.served.administrator["clientSecret"],
            },
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout or "{}")

    @property
    def url(self) -> str:
        return f"{self.served.url}/portal"


@pytest.fixture(scope="package")
def deployment(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Deployment]:
    folder = tmp_path_factory.mktemp("browser")
    served = Served(folder / "home", portal_sign_ins_a_minute="1000")
    make_wheel(folder / "index", "soil", "1.0", "PH = 6.5\n")
    served.environment |= index_of(folder / "index")
    try:
        served.start()
        yield Deployment(served)
    finally:
        served.close()


# Not for the whole session: Playwright keeps an event loop running in this thread, and tests elsewhere start their own.
@pytest.fixture(scope="package")
def chromium() -> Iterator[Chromium]:
    with sync_playwright() as playwright:
        # Tests run as root in a container, where Chromium has no sandbox of its own.
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield browser
        browser.close()


@pytest.fixture(scope="package")
def signed_in(deployment: Deployment, chromium: Chromium) -> dict:
    """The cookies of an administrator who has come by the link that the command printed."""
    link = deployment.headland("person", "add", "ada", "--name", "Ada Ackermann", "--administrator")[
        "setUpLink"
    ]
    context = chromium.new_context(ignore_https_errors=True)
    page = context.new_page()
    set_up(page, link)
    assert page.get_by_role("heading", name="Good to see you, Ada Ackermann").is_visible()
    state = context.storage_state()
    context.close()
    return state


#: How people see a page: what of a browser is another one's.
LOOKS = {
    "light": {"color_scheme": "light", "width": 1280},
    "dark": {"color_scheme": "dark", "width": 1280},
    "phone": {"color_scheme": "light", "width": 390},
}


@dataclass
class Tab:
    """A page in a browser, and what is wrong with it."""

    page: Page
    deployment: Deployment
    #: What the browser complained about.
    complaints: list[str] = field(default_factory=list)

    def go(self, path: str) -> None:
        self.page.goto(f"{self.deployment.url}{path}")

    def judge(self, name: str) -> None:
        """No violation by axe, by WCAG 2.2 AA and its best practices; nothing that the policy forbade. A picture, if
        wanted.
        """
        if PICTURES:
            folder = Path(PICTURES)
            folder.mkdir(parents=True, exist_ok=True)
            self.page.screenshot(path=folder / f"{name}.png", full_page=True)
        found = self.page.evaluate(
            f"async () => {{ {AXE.read_text()}; return (await axe.run()).violations; }}"
        )
        told = [f"{v['id']}: {v['help']}: {[n['html'][:160] for n in v['nodes']][:3]}" for v in found]
        assert told == []
        assert self.complaints == []

    def judge_each_look(self, name: str) -> None:
        """The same in light and dark and on a phone, where nothing is wider than the screen."""
        for look, of in LOOKS.items():
            self.page.emulate_media(color_scheme=of["color_scheme"])
            self.page.set_viewport_size({"width": of["width"], "height": 820})
            self.judge(f"{name}-{look}")
            wider = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
            assert self.page.evaluate(wider) == 0


@pytest.fixture
def make_tab(chromium: Chromium, deployment: Deployment, signed_in: dict) -> Iterator[Callable[..., Tab]]:
    """Open a tab: as Ada, or with `nobody`, as nobody; keywords are Playwright's for a context."""
    contexts = []

    def make(*, nobody: bool = False, **context: object) -> Tab:
        settings = {"viewport": {"width": 1280, "height": 800}, **context}
        contexts.append(
            chromium.new_context(
                ignore_https_errors=True, storage_state=None if nobody else signed_in, **settings
            )
        )
        tab = Tab(contexts[-1].new_page(), deployment)
        tab.page.set_default_timeout(20_000)
        tab.page.on("pageerror", lambda error: tab.complaints.append(str(error)))
        tab.page.on(
            "console",
            lambda said: tab.complaints.append(said.text) if "Content Security Policy" in said.text else None,
        )
        return tab

    yield make
    for context in contexts:
        context.close()
