"""Signing in and out: sessions, forms that others can't send, and what is slowed."""

import asyncio
import hashlib
import re
import time
from base64 import b64encode
from dataclasses import replace

import msgspec
import pytest
from tests.service.portal.conftest import PASSWORD, SETTINGS

from headland.identity.people import devices, one_time_codes, store
from headland.portal import PREFIX
from headland.portal.pages import PAGES
from headland.security import Principal, TokenError
from headland.settings import PortalSettings

pytestmark = pytest.mark.anyio

SESSION = "__Host-headland"
DEVICE = "__Host-headland-device"


async def test_whoever_is_not_signed_in_is_asked_to_and_then_sees_what_was_asked_for(portal):
    await portal.person()
    browser = portal.browser()
    page = await browser.open("/portal/people?x=1")
    assert page.status == 401
    assert page.value("going_to") == "/portal/people?x=1"
    page = await browser.send(
        "/portal/sign-in", user_name="ADA", password=PASSWORD, going_to="/portal/people?x=1"
    )
    assert (page.status, page.location) == (303, "/portal/people?x=1")
    assert "ada" in (await browser.follow(page)).text


@pytest.mark.parametrize(
    "elsewhere", ["https://evil.example/", "//evil.example", "/portal/\\evil", "/livy/batches"]
)
async def test_a_sign_in_leads_nowhere_but_into_the_portal(portal, elsewhere):
    await portal.person()
    page = await portal.browser().send(
        "/portal/sign-in", user_name="ada", password=PASSWORD, going_to=elsewhere
    )
    assert page.location == "/portal/"


async def test_the_root_leads_to_the_portal(portal):
    for path in ("/", "/portal"):
        page = await portal.browser().open(path)
        assert (page.status, page.location) == (302, "/portal/")


@pytest.mark.parametrize(
    ("name", "password"), [("ada", "wrong"), ("nobody", PASSWORD), ("", ""), ("ada", "ü\ud800")]
)
async def test_what_is_wrong_is_not_told(portal, name, password):
    await portal.person()
    browser = portal.browser()
    page = await browser.send(
        "/portal/sign-in", user_name=name, password=password.encode("utf-8", "replace").decode()
    )
    assert page.status == 401
    assert "User name or password is wrong." in page.text
    assert SESSION not in browser.client.cookies


async def test_a_session_is_a_cookie_that_scripts_and_other_sites_do_not_get(portal):
    await portal.person()
    browser = portal.browser()
    page = await browser.sign_in("ada")
    cookie = next(c for c in page.response.headers.get_list("set-cookie") if c.startswith(f"{SESSION}="))
    said = {part.strip().lower() for part in cookie.split(";")[1:]}
    assert {"secure", "httponly", "samesite=lax", "path=/"} <= said
    assert not any(part.startswith(("domain", "max-age", "expires")) for part in said)


async def test_a_sign_in_makes_a_new_session_and_ends_the_one_before(portal):
    browser = await portal.person()
    before = browser.client.cookies[SESSION]
    token = (await browser.open("/portal/account")).value("csrf")
    page = await browser.client.post(
        "/portal/sign-in", data={"csrf": token, "user_name": "ada", "password": PASSWORD}
    )
    assert page.status_code == 303
    assert browser.client.cookies[SESSION] != before
    other = portal.browser()
    other.client.cookies.set(SESSION, before)
    assert (await other.open("/portal/account")).status == 401


async def test_a_key_that_somebody_made_up_opens_nothing(portal):
    browser = portal.browser()
    browser.client.cookies.set(SESSION, "x" * 43)
    assert (await browser.open("/portal/")).status == 401
    browser.client.cookies.set(SESSION, "x" * 4000)
    assert (await browser.open("/portal/")).status == 401


async def test_signing_out_ends_the_session_on_the_server(portal):
    browser = await portal.person()
    key = browser.client.cookies[SESSION]
    page = await browser.send("/portal/sign-out", on="/portal/")
    assert page.status == 303
    other = portal.browser()
    other.client.cookies.set(SESSION, key)
    assert (await other.open("/portal/")).status == 401


async def test_signing_out_everywhere_ends_all_of_them(portal):
    first = await portal.person()
    second = portal.browser()
    await second.sign_in("ada")
    listed = await second.open("/portal/account")
    assert listed.html.count("Tester/1.0") == 2
    await second.send("/portal/sign-out/everywhere", on="/portal/account")
    assert (await first.open("/portal/")).status == 401


async def test_sessions_end_when_nobody_uses_them_and_at_the_latest_after_their_lifetime(make_portal):
    settings = msgspec.structs.replace(
        SETTINGS, portal=PortalSettings(session_idle=1.0, session_lifetime=3600.0)
    )
    portal = make_portal(settings)
    browser = await portal.person()
    assert (await browser.open("/portal/")).status == 200
    await asyncio.sleep(1.1)
    assert (await browser.open("/portal/")).status == 401


@pytest.mark.parametrize("token", ["", "x", "A" * 88, None])
async def test_a_form_without_the_pages_token_changes_nothing(portal, token):
    browser = await portal.person()
    data = {"user_name": "mallory"} | ({} if token is None else {"csrf": token})
    page = await browser.client.post("/portal/people", data=data)
    assert page.status_code == 403
    assert "mallory" not in (await browser.open("/portal/people")).text


#: Every page, with something in the place of each parameter.
EVERY_PAGE = [(one.method, f"{PREFIX}{re.sub(r'{[^}]*}', '1', one.path)}") for one in PAGES]


async def test_no_form_of_any_page_is_taken_without_its_token(portal):
    browser = await portal.person()
    for path in (path for method, path in EVERY_PAGE if method == "POST"):
        answer = await browser.client.post(path, data={"csrf": "forged"})
        assert (answer.status_code, "This form is too old" in answer.text) == (403, True), path


async def test_pages_are_for_who_is_signed_in(portal):
    browser = portal.browser()
    public = {"/portal/sign-in", "/portal/sign-in/with/1", "/portal/sign-in/back", "/portal/set-up"}
    for path in (path for method, path in EVERY_PAGE if method == "GET" and path not in public):
        page = await browser.open(path)
        assert (page.status, "User name" in page.text) == (401, True), path


async def test_a_form_of_another_browser_changes_nothing(portal):
    ada, eve = await portal.person(), await portal.person("eve", administrator=False)
    token = (await eve.open("/portal/account")).value("csrf")
    page = await ada.client.post("/portal/people", data={"csrf": token, "user_name": "mallory"})
    assert page.status_code == 403


async def test_a_form_that_a_browser_says_is_from_elsewhere_changes_nothing(portal):
    browser = await portal.person()
    token = (await browser.open("/portal/people")).value("csrf")
    page = await browser.client.post(
        "/portal/people",
        data={"csrf": token, "user_name": "mallory"},
        headers={"sec-fetch-site": "cross-site"},
    )
    assert page.status_code == 403


async def test_the_token_of_a_form_is_another_one_on_each_page(portal):
    browser = await portal.person()
    assert (await browser.open("/portal/")).value("csrf") != (await browser.open("/portal/")).value("csrf")


async def test_guesses_are_slowed_and_the_right_password_with_them(make_portal):
    portal = make_portal(msgspec.structs.replace(SETTINGS, portal=PortalSettings(sign_ins_a_minute=6)))
    await portal.person()
    browser = portal.browser()
    for _ in range(3):
        assert (await browser.sign_in("ada", "a wrong guess")).status == 401
    page = await browser.sign_in("ada")
    assert page.status == 429
    assert "Too many attempts. Try again in" in page.text


async def test_somebody_elses_guesses_lock_nobody_out_of_a_browser_that_is_known(make_portal):
    portal = make_portal(msgspec.structs.replace(SETTINGS, portal=PortalSettings(sign_ins_a_minute=4)))
    ada, _ = await portal.person(), await portal.person("eve")
    await ada.send("/portal/sign-out", on="/portal/")
    # From many addresses, and from the very one of hers.
    for number in range(30):
        await portal.browser(f"192.0.2.{number}").sign_in("ada", "a wrong guess")
        await portal.browser().sign_in("ada", "a wrong guess")
    assert (await portal.browser("198.51.100.1").sign_in("ada")).status == 429
    assert (await ada.sign_in("ada")).status == 303
    # Known to one is not known to others.
    await ada.send("/portal/sign-out", on="/portal/")
    assert (await ada.sign_in("eve", "a wrong guess")).status == 429


async def test_one_address_alone_locks_nobody_out_elsewhere(make_portal):
    portal = make_portal(msgspec.structs.replace(SETTINGS, portal=PortalSettings(sign_ins_a_minute=4)))
    await portal.person()
    for _ in range(50):
        await portal.browser("192.0.2.1").sign_in("ada", "a wrong guess")
    assert (await portal.browser("198.51.100.1").sign_in("ada")).status == 303


async def test_what_a_browser_is_known_by_is_another_one_after_each_sign_in_and_ends_with_the_password(
    portal,
):
    browser = await portal.person()
    first = browser.client.cookies[DEVICE]
    page = await browser.send("/portal/sign-in", on="/portal/account", user_name="ada", password=PASSWORD)
    kept = next(c for c in page.response.headers.get_list("set-cookie") if c.startswith(f"{DEVICE}="))
    said = {part.strip().lower() for part in kept.split(";")[1:]}
    assert {"secure", "httponly", "samesite=lax", "path=/", f"max-age={devices.LIFETIME}"} <= said
    second = browser.client.cookies[DEVICE]
    assert first != second
    ada = portal.database.read(lambda connection: store.find_by_key(connection, "ada"))
    assert devices.known(second, ada, time.time())
    assert not devices.known(second, ada, time.time() + devices.LIFETIME + 1)
    assert not devices.known(second, replace(ada, password_hash="another"), time.time())
    for forged in ("", "~", "1.x.y", f"9{second}", second[:-1] + "x", "é" * 40, "~".join([second] * 99)):
        assert not devices.known(forged, ada, time.time())


async def test_a_set_up_code_works_once(portal):
    code = portal.add("ada").code
    browser = portal.browser()
    page = await browser.send("/portal/set-up", code=code, password=PASSWORD, again=PASSWORD)
    assert page.status == 303
    assert "Good to see you, ada" in (await browser.follow(page)).text
    page = await portal.browser().send("/portal/set-up", code=code, password=PASSWORD, again=PASSWORD)
    assert (page.status, "it was used, or is too old" in page.text) == (400, True)


@pytest.mark.parametrize(
    ("password", "again", "said"),
    [
        ("short", "short", "must have between 12 and 256 characters"),
        ("x" * 257, "x" * 257, "must have between 12 and 256 characters"),
        ("aaaaaaaaaaaaaaaa", "aaaaaaaaaaaaaaaa", "at least 5 different characters"),
        ("password1234", "password1234", "is among the first that are tried"),
        ("this is ada speaking", "this is ada speaking", "must not contain the user name"),
        (PASSWORD, PASSWORD + "x", "The passwords differ."),
    ],
)
async def test_bad_passwords_are_refused_and_the_code_stays_good(portal, password, again, said):
    code = portal.add("ada").code
    page = await portal.browser().send("/portal/set-up", code=code, password=password, again=again)
    assert page.status == 400
    assert said in page.text
    assert page.value("code") == code
    page = await portal.browser().send("/portal/set-up", code=code, password=PASSWORD, again=PASSWORD)
    assert page.status == 303


async def test_a_new_password_signs_out_everywhere_else(portal):
    here = await portal.person()
    there = portal.browser()
    await there.sign_in("ada")
    new = "another few words here"
    page = await here.send(
        "/portal/account/password", on="/portal/account", before=PASSWORD, password=new, again=new
    )
    assert page.status == 303, page.text
    assert (await here.open("/portal/")).status == 200
    assert (await there.open("/portal/")).status == 401
    assert (await there.sign_in("ada")).status == 401
    assert (await there.sign_in("ada", new)).status == 303


async def test_a_wrong_password_changes_none(portal):
    browser = await portal.person()
    page = await browser.send(
        "/portal/account/password", on="/portal/account", before="wrong", password=PASSWORD, again=PASSWORD
    )
    assert (page.status, "is not your password" in page.text) == (400, True)


async def switch_on(browser, secret: str, code: str, password: str = PASSWORD):
    return await browser.send(
        "/portal/account/codes/on", on="/portal/account", secret=secret, code=code, current=password
    )


async def test_a_session_alone_does_not_change_the_second_factor(portal):
    browser = await portal.person()
    own, others = one_time_codes.new_secret(), one_time_codes.new_secret()
    step = int(time.time() // 30)
    page = await switch_on(browser, one_time_codes.as_text(own), one_time_codes.code_at(own, step), "guessed")
    assert (page.status, "is not your password" in page.text) == (400, True)
    page = await switch_on(browser, one_time_codes.as_text(own), one_time_codes.code_at(own, step))
    assert page.status == 303, page.text
    # On they are, and not to be exchanged for another app's without a code of this one.
    for password in ("guessed", PASSWORD):
        page = await switch_on(
            browser, one_time_codes.as_text(others), one_time_codes.code_at(others, step), password
        )
        assert page.status == 400
    ada = portal.database.read(lambda connection: store.find_by_key(connection, "ada"))
    assert ada.totp_secret == own


async def test_guesses_at_switching_codes_off_are_limited(make_portal):
    portal = make_portal(msgspec.structs.replace(SETTINGS, portal=PortalSettings(sign_ins_a_minute=4)))
    browser = await portal.person()
    secret = one_time_codes.new_secret()
    step = int(time.time() // 30)
    await switch_on(browser, one_time_codes.as_text(secret), one_time_codes.code_at(secret, step - 1))

    async def off(code: str) -> int:
        return (await browser.send("/portal/account/codes/off", on="/portal/account", code=code)).status

    assert [await off("000000") for _ in range(5)] == [400, 400, 400, 400, 429]
    assert await off(one_time_codes.code_at(secret, step)) == 429


async def test_sessions_are_renewed_when_the_factors_change_and_the_others_end(portal):
    here, there = await portal.person(), portal.browser()
    await there.sign_in("ada")
    keys = [here.client.cookies[SESSION]]
    secret = one_time_codes.new_secret()
    step = int(time.time() // 30)
    page = await switch_on(here, one_time_codes.as_text(secret), one_time_codes.code_at(secret, step - 1))
    assert "From now on a one-time code is asked for" in (await here.follow(page)).text
    keys.append(here.client.cookies[SESSION])
    assert (await there.open("/portal/")).status == 401
    code = one_time_codes.code_at(secret, step)
    page = await here.send("/portal/account/codes/off", on="/portal/account", code=code)
    assert "One-time codes are off." in (await here.follow(page)).text
    keys.append(here.client.cookies[SESSION])
    new = "another few words here"
    page = await here.send(
        "/portal/account/password", on="/portal/account", before=PASSWORD, password=new, again=new
    )
    assert "Your password is changed." in (await here.follow(page)).text
    keys.append(here.client.cookies[SESSION])
    assert len(set(keys)) == 4
    for old in keys[:3]:
        other = portal.browser()
        other.client.cookies.set(SESSION, old)
        assert (await other.open("/portal/")).status == 401


async def test_one_session_is_ended_alone(portal):
    here, there, third = await portal.person(), portal.browser("192.0.2.9"), portal.browser()
    await there.sign_in("ada")
    await third.sign_in("ada")
    page = await here.open("/portal/account")
    assert "192.0.2.9" in page.text
    listed = re.search(r'192\.0\.2\.9.*?action="(/portal/account/sessions/[^/]+/end)"', page.html, re.DOTALL)
    eve = await portal.person("eve")
    await eve.send(listed[1], on="/portal/account")
    assert (await there.open("/portal/")).status == 200
    page = await here.send(listed[1], on="/portal/account")
    assert "That browser is signed out." in (await here.follow(page)).text
    assert [(await one.open("/portal/")).status for one in (here, there, third)] == [200, 401, 200]
    page = await here.send(listed[1], on="/portal/account")
    assert "was signed out already" in (await here.follow(page)).text


async def test_one_time_codes_are_asked_for_once_they_are_on_and_each_opens_once(portal):
    browser = await portal.person()
    page = await browser.open("/portal/account")
    secret = one_time_codes.from_text(page.value("secret"))
    assert secret is not None
    step = int(time.time() // 30)
    bad = await browser.send(
        "/portal/account/codes/on",
        on="/portal/account",
        secret=page.value("secret"),
        code="000000",
        current=PASSWORD,
    )
    assert bad.status == 400
    on = await browser.send(
        "/portal/account/codes/on",
        on="/portal/account",
        secret=page.value("secret"),
        code=one_time_codes.code_at(secret, step - 1),
        current=PASSWORD,
    )
    assert on.status == 303, on.text

    other = portal.browser()
    half = await other.sign_in("ada")
    assert "One-time code" in half.text
    assert (await other.open("/portal/")).status == 401
    token = half.value("csrf")
    used = await other.client.post(
        "/portal/sign-in/code", data={"csrf": token, "code": one_time_codes.code_at(secret, step - 1)}
    )
    assert used.status_code == 401
    right = await other.client.post(
        "/portal/sign-in/code", data={"csrf": token, "code": one_time_codes.code_at(secret, step)}
    )
    assert right.status_code == 303, right.text
    assert (await other.open("/portal/")).status == 200


async def test_pages_say_what_browsers_may_do_with_them(portal):
    browser = await portal.person()
    for path in ("/portal/", "/portal/nothing", "/portal/sign-in"):
        page = await browser.open(path)
        policies = page.response.headers.get_list("content-security-policy")
        assert len(policies) == 1
        assert "default-src 'none'" in policies[0]
        assert "unsafe" not in policies[0]
    assert (await browser.open("/portal/")).response.headers["cache-control"] == "no-store"


async def test_of_scripts_and_styles_only_those_stand_in_a_page_that_the_policy_knows(portal):
    person, stranger = await portal.person(), portal.browser()
    paths = {
        "/portal/": person,
        "/portal/account": person,
        "/portal/people": person,
        "/portal/sign-in": stranger,
    }
    for path, browser in paths.items():
        page = await browser.open(path)
        policy = page.response.headers["content-security-policy"]
        for kind in ("script", "style"):
            (own,) = re.findall(rf"<{kind}(?: data-later=\S+)?>(.+?)</{kind}>", page.html, re.DOTALL)
            digest = b64encode(hashlib.sha256(own.encode()).digest()).decode()
            assert f"{kind}-src 'self' 'sha256-{digest}';" in policy
            assert page.html.count(f"<{kind}") == 1
        assert " style=" not in page.html
        assert "javascript:" not in page.html


async def test_assets_are_kept_for_good_and_found_by_their_digest_alone(portal):
    browser = portal.browser()
    page = await browser.open("/portal/sign-in")
    address = page.html.split('<link rel="icon" href="')[1].split('"')[0]
    icon = await browser.open(address)
    assert icon.status == 200
    assert "immutable" in icon.response.headers["cache-control"]
    assert (await browser.open(address.replace("favicon.svg", "map.js"))).status == 404
    assert (await browser.open("/portal/assets/0000000000000000/..%2f..%2fportal.py")).status == 404


async def test_a_page_that_there_is_not_is_a_page(portal):
    browser = await portal.person()
    page = await browser.open("/portal/nothing")
    assert (page.status, "There is no such page" in page.text) == (404, True)


async def test_an_issuer_that_was_given_no_tenant_does_not_speak_for_one_of_ours(portal):
    said = Principal(portal.tenant, "tractor", "x", issuer="https://login.example")
    with pytest.raises(TokenError, match="names a tenant of this deployment"):
        portal.assembly._of_elsewhere(said)
    assert portal.assembly._of_elsewhere(replace(said, tenant_id="another"))
