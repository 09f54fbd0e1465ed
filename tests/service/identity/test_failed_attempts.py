"""Failed attempts are answered in full so many times a minute; right credentials are taken at any time."""

import httpx
import pytest

from headland.identity import identity_app
from headland.settings import IdentitySettings, ServerSettings, Settings

pytestmark = pytest.mark.anyio

PUBLIC_URL = "https://headland.test:8443"
NOBODY = "11111111-2222-3333-4444-555555555555"


@pytest.fixture
def ask(deployment):
    """Ask from an address, at a service that answers five failures of a client in full, and twenty of an address."""
    settings = Settings(
        server=ServerSettings(public_url=PUBLIC_URL), identity=IdentitySettings(failed_attempts_a_minute=5)
    )
    app = identity_app(deployment.database, settings, deployment.issuer, deployment.clock)

    async def ask(address: str = "192.0.2.1", **changes: str | None) -> httpx.Response:
        transport = httpx.ASGITransport(app, client=(address, 1))
        async with httpx.AsyncClient(transport=transport, base_url=PUBLIC_URL) as client:
            return await client.post(deployment.v2, data=deployment.form(**changes))

    return ask


async def test_after_so_many_wrong_secrets_nothing_more_is_said_of_them(ask, check_refusal):
    for _ in range(5):
        assert (await ask(client_secret="wrong")).json()["error_codes"] == [7000215]
    slowed = await ask(client_secret="wrong")
    check_refusal(slowed, 429, "temporarily_unavailable", 90055, "There are too many incoming requests")
    assert 1 <= int(slowed.headers["retry-after"]) <= 12
    # From anywhere else it is the same: it is the client that is asked about.
    assert (await ask("198.51.100.7", client_secret="wrong")).status_code == 429


async def test_right_secret_gets_in_at_once_while_somebody_guesses(ask):
    for _ in range(50):
        await ask(client_secret="wrong")
        assert (await ask()).status_code == 200
    assert (await ask(client_secret="wrong")).status_code == 429


async def test_other_clients_and_addresses_are_told_what_is_wrong(deployment, ask):
    drone = await deployment.register()
    for _ in range(10):
        await ask(client_secret="wrong")
    answer = await ask("198.51.100.7", client_id=drone["clientId"], client_secret="wrong")
    assert answer.json()["error_codes"] == [7000215]


async def test_address_that_looks_for_clients_is_slowed(ask):
    codes = [(await ask(client_id=NOBODY)).status_code for _ in range(25)]
    assert codes == [400] * 20 + [429] * 5
    assert (await ask()).status_code == 200
    assert (await ask("198.51.100.7", client_id=NOBODY)).status_code == 400


async def test_mistakes_that_are_no_guesses_are_not_counted(ask):
    for _ in range(30):
        assert (await ask(grant_type="password")).json()["error_codes"] == [70003]
        assert (await ask(scope="https://else.example/.default")).json()["error_codes"] == [500011]
        assert (await ask(client_secret=None)).json()["error_codes"] == [7000218]
