"""App registrations: the three values, and a secret that is shown once."""

import re

import pytest

pytestmark = pytest.mark.anyio

PATH = "/portal/applications"
GUID = r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}"


async def test_a_registration_shows_its_values_and_a_secret_once_that_gets_tokens(portal):
    ada = await portal.person()
    page = await ada.send(f"{PATH}/new", name="Drone", with_secret="yes")
    assert page.status == 201
    client, tenant, secret = (page.code(name) for name in ("client-id", "tenant-id", "client-secret"))
    assert (tenant, page.code("app-name")) == (portal.tenant, "Drone")
    token = await ada.client.post(
        f"/{tenant}/oauth2/token",
        data={
            "grant_type": "client_credentials",
            "client_id": client,
            "client_secret": secret,
            "resource": "https://farmbeats.azure.net",
        },
    )
    assert token.status_code == 200
    for path in (
        PATH,
        f"{PATH}/{client}",
        "/portal/data/identity/applications",
        "/portal/data/audit/entries",
    ):
        assert secret not in (await ada.open(path)).html
    assert page.response.headers["cache-control"] == "no-store"


async def test_further_secrets_live_side_by_side_and_are_revoked_one_by_one(portal):
    ada = await portal.person()
    page = await ada.send(f"{PATH}/new", name="Drone")
    one = page.location.split("?")[0]
    made = await ada.send(f"{one}/secrets", on=one, name="autumn", days="30")
    assert made.status == 201
    bad = await ada.send(f"{one}/secrets", on=one, days="soon")
    assert bad.status == 400
    assert "Lifetime days: expected" in bad.text
    await ada.send(f"{one}/secrets", on=one, name="winter")
    page = await ada.open(one)
    assert {"autumn", "winter"} <= set(page.text.split())
    first = re.findall(rf"/secrets/({GUID})/revoke", page.html)[0]
    await ada.send(f"{one}/secrets/{first}/revoke", on=one)
    page = await ada.open(one)
    assert ("autumn" in page.text, "winter" in page.text) == (False, True)


async def test_applications_are_renamed_disabled_and_deleted(portal):
    ada = await portal.person()
    one = (await ada.send(f"{PATH}/new", name="Drone")).location.split("?")[0]
    await ada.send(one, what="rename", name="Tractor")
    assert "Tractor" in (await ada.open(one)).text
    await ada.send(one, what="disable")
    assert "Disabled" in (await ada.open(one)).text
    bad = await ada.send(one, what="rename", name="  ")
    assert (bad.status, "Name must have" in bad.text) == (400, True)
    page = await ada.send(f"{one}/delete", on=one)
    assert "Tractor" not in (await ada.follow(page)).text


async def test_the_last_administrator_application_stays(portal):
    ada = await portal.person()
    listed = await ada.open(f"{PATH}?find=administrator")
    one = re.search(rf'href="({PATH}/{GUID})"', listed.html)[1]
    page = await ada.send(f"{one}/delete", on=one)
    assert (page.status, "last administrator" in page.text) == (409, True)


async def test_who_is_no_administrator_registers_none(portal):
    eve = await portal.person("eve", administrator=False)
    assert (await eve.open(PATH)).status == 403
    page = await eve.send(f"{PATH}/new", on="/portal/account", name="Drone")
    assert page.status == 403
