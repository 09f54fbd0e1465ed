"""Who asks too often, as the listeners of a deployment know it: guesses on the private port, callers behind proxies."""

import httpx
import msgspec
import pytest
from tests.service.portal.conftest import PASSWORD, PUBLIC_URL, SETTINGS, Browser

from headland.identity.people import store
from headland.settings import IdentitySettings, PortalSettings, ServerSettings

pytestmark = pytest.mark.anyio

PROXY = "10.0.0.7"


async def test_guesses_on_the_private_port_are_answered_briefly_and_the_right_secret_at_any_time(make_portal):
    portal = make_portal(
        msgspec.structs.replace(
            SETTINGS,
            server=ServerSettings(public_url=PUBLIC_URL, private_authentication="basic"),
            identity=IdentitySettings(failed_attempts_a_minute=5),
        )
    )
    ada = await portal.person()
    page = await ada.send("/portal/applications/new", name="tractor", with_secret="yes")
    known = page.code("client-id"), page.code("client-secret")
    private = portal.assembly.private()

    async def ask(*shown: str, address: str = "192.0.2.1") -> httpx.Response:
        transport = httpx.ASGITransport(private, client=(address, 1))
        async with httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1") as client:
            return await client.get("/batches", auth=shown)

    assert [(await ask(known[0], "wrong")).status_code for _ in range(6)] == [401] * 5 + [429]
    slowed = await ask(known[0], "wrong", address="198.51.100.1")
    assert 1 <= int(slowed.headers["retry-after"]) <= 12
    assert "Too many attempts" not in slowed.text
    assert "too many attempts with wrong credentials" in slowed.json()["msg"]
    assert (await ask(*known)).status_code == 200
    nobody = [
        (await ask(f"{number:08}-0000-4000-8000-000000000000", "x")).status_code for number in range(20)
    ]
    assert nobody[-1] == 429


@pytest.fixture
def behind(make_portal):
    """A deployment behind a proxy, which takes few attempts of an address."""

    def make(**server):
        return make_portal(
            msgspec.structs.replace(
                SETTINGS,
                server=ServerSettings(public_url=PUBLIC_URL, **server),
                portal=PortalSettings(sign_ins_a_minute=4),
            )
        )

    return make


class Proxied(Browser):
    """A browser whose requests come by way of a proxy."""

    def __init__(self, portal, **said: str) -> None:
        super().__init__(portal.listener, PROXY)
        self.client.headers.update({name.replace("_", "-"): value for name, value in said.items()})


async def address_of(portal, browser: Browser) -> str:
    """From where it is, as the sessions have it."""
    person = portal.add("ada", administrator=True)
    page = await browser.send("/portal/set-up", code=person.code, password=PASSWORD, again=PASSWORD)
    assert page.status == 303, page.text
    (session,) = portal.database.read(lambda connection: store.sessions(connection, person.person.object_id))
    return session.address


@pytest.mark.parametrize(
    ("header", "said", "address"),
    [
        ("x-forwarded-for", {"x_forwarded_for": "203.0.113.5"}, "203.0.113.5"),
        ("x-forwarded-for", {"x_forwarded_for": "203.0.113.5:4711"}, "203.0.113.5"),
        ("x-forwarded-for", {"x_forwarded_for": "[2001:db8::1]:4711"}, "2001:db8::1"),
        ("x-forwarded-for", {"x_forwarded_for": "::ffff:203.0.113.5"}, "203.0.113.5"),
        # What the client wrote itself stands before what the proxies have added.
        ("x-forwarded-for", {"x_forwarded_for": "1.2.3.4, 203.0.113.5, 10.0.0.9"}, "203.0.113.5"),
        ("x-forwarded-for", {"x_forwarded_for": "unknown, 10.0.0.9"}, "10.0.0.9"),
        ("x-forwarded-for", {"x_forwarded_for": "nonsense"}, PROXY),
        ("x-forwarded-for", {"forwarded": "for=1.2.3.4"}, PROXY),
        ("x-forwarded-for", {}, PROXY),
        ("forwarded", {"forwarded": "for=1.2.3.4, for=203.0.113.5;proto=https"}, "203.0.113.5"),
        ("forwarded", {"forwarded": 'proto=https;For="[2001:db8::1]:4711"'}, "2001:db8::1"),
        ("forwarded", {"forwarded": "for=_hidden"}, PROXY),
        ("forwarded", {"x_forwarded_for": "1.2.3.4"}, PROXY),
    ],
)
async def test_what_a_trusted_proxy_says_of_its_caller_is_believed(behind, header, said, address):
    portal = behind(trusted_proxies=("10.0.0.0/24",), forwarded_header=header)
    assert await address_of(portal, Proxied(portal, **said)) == address


async def test_what_anybody_else_says_of_callers_is_not_believed(behind):
    for portal in (behind(), behind(trusted_proxies=("10.0.1.0/24", "192.0.2.7"))):
        assert await address_of(portal, Proxied(portal, x_forwarded_for="203.0.113.5")) == PROXY


async def test_limits_and_the_audit_trail_have_the_callers_of_a_proxy(behind):
    portal = behind(trusted_proxies=(PROXY,))
    await portal.person()
    for _ in range(20):
        page = await Proxied(portal, x_forwarded_for="203.0.113.5").sign_in("ada", "a wrong guess")
    assert page.status == 429
    browser = Proxied(portal, x_forwarded_for="203.0.113.6")
    assert (await browser.sign_in("ada")).status == 303
    new = "another few words here"
    page = await browser.send(
        "/portal/account/password", on="/portal/account", before=PASSWORD, password=new, again=new
    )
    assert page.status == 303
    trail = (await browser.open("/portal/data/audit/entries")).response.text
    assert "203.0.113.6" in trail
