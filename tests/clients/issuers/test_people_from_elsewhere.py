"""People who sign in to the portal by a provider elsewhere: authorization code flow with PKCE, against a real one."""

import re
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest
from joserfc.jwk import RSAKey
from tests.clients.issuers.conftest import Provider
from tests.service.portal.conftest import (  # noqa: F401 - fixtures
    PUBLIC_URL,
    Browser,
    Portal,
    make_portal,
    template,
)

from headland.security.outside.claims import object_id_of
from headland.settings import (
    IssuerSettings,
    PortalSettings,
    ProviderSettings,
    SecuritySettings,
    ServerSettings,
    Settings,
)

pytestmark = pytest.mark.anyio

BACK = f"{PUBLIC_URL}/portal/sign-in/back"


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture
def elsewhere(tmp_path: Path) -> Iterator[Provider]:
    provider = Provider(tmp_path)
    key = RSAKey.generate_key(2048, {"use": "sig", "kid": "one", "alg": "RS256"}).as_dict(private=True)
    provider.start("RS256", key)
    yield provider
    provider.stop()


@pytest.fixture
def portal(make_portal, elsewhere: Provider) -> Portal:  # noqa: F811
    issuer = IssuerSettings(
        issuer=elsewhere.issuer,
        tenant="elsewhere",
        roles_claim="groups",
        roles={"farm-admins": "Administrator"},
    )
    known = ProviderSettings("Our login", elsewhere.issuer, "portal", "portal-secret")
    return make_portal(
        Settings(
            server=ServerSettings(public_url=PUBLIC_URL),
            security=SecuritySettings(issuers=(issuer,)),
            portal=PortalSettings(providers=(known,)),
        )
    )


async def vouched(browser: Browser, login: str) -> str:
    """Where the provider sends somebody back to, who has signed in there and agreed."""
    page = await browser.open("/portal/sign-in?going_to=/portal/account")
    way = re.search(r'href="(/portal/sign-in/with/0[^"]*)"[^>]*>Sign in with Our login', page.html)
    assert way, page.text
    left = await browser.open(way[1].replace("&amp;", "&"))
    assert left.status == 303
    async with httpx.AsyncClient() as there:
        answer = await there.get(left.location)
        for form in ({"prompt": "login", "login": login, "password": "any"}, {"prompt": "consent"}):
            while answer.is_redirect and not answer.headers["location"].startswith(BACK):
                answer = await there.get(str(answer.url.join(answer.headers["location"])))
            action = re.search(r'action="([^"]+)"', answer.text)
            assert action, answer.text
            answer = await there.post(str(answer.url.join(action[1])), data=form)
        while not answer.headers["location"].startswith(BACK):
            answer = await there.get(str(answer.url.join(answer.headers["location"])))
        return answer.headers["location"]


async def test_a_person_of_a_provider_elsewhere_signs_in(portal: Portal, elsewhere: Provider) -> None:
    browser = portal.browser()
    back = await vouched(browser, "rosa")
    page = await browser.open(back)
    assert (page.status, page.location) == (303, "/portal/account"), page.text
    account = await browser.follow(page)
    assert "Rosa" in account.text
    assert "elsewhere" in account.text
    assert "of the deployment" in account.text
    # Nobody else's object id, whatever the provider calls her.
    assert object_id_of(elsewhere.issuer, "elsewhere", "rosa") in account.text
    # Once, and in this browser alone.
    again = await browser.open(back)
    assert again.status == 401


async def test_a_sign_in_that_another_browser_began_is_none(portal: Portal) -> None:
    back = await vouched(portal.browser(), "rosa")
    other = portal.browser()
    page = await other.open(back)
    assert (page.status, "That sign-in did not work." in page.text) == (401, True)
    assert "__Host-headland" not in other.client.cookies


@pytest.mark.parametrize("change", ["state=wrong", "code=wrong", "error=access_denied"])
async def test_an_answer_that_was_not_asked_for_signs_nobody_in(portal: Portal, change: str) -> None:
    browser = portal.browser()
    back = httpx.URL(await vouched(browser, "rosa"))
    name, _, value = change.partition("=")
    query = {**back.params, name: value}
    if name == "error":
        query.pop("code")
    page = await browser.open(str(back.copy_with(params=query)))
    assert page.status == 401
    assert (await browser.open("/portal/")).status == 401


async def test_a_provider_that_is_away_is_told_so(portal: Portal, elsewhere: Provider) -> None:
    elsewhere.stop()
    page = await portal.browser().open("/portal/sign-in/with/0")
    assert (page.status, "That sign-in did not work." in page.text) == (502, True)
    assert (await portal.browser().open("/portal/sign-in/with/7")).status == 502
