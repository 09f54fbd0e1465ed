"""The people's pages and their API: the same rules, whoever comes."""

import re

import pytest

from headland.portal.inside import RefusedError

pytestmark = pytest.mark.anyio


async def test_an_administrator_adds_a_person_who_sets_up_its_account(portal):
    ada = await portal.person()
    page = await ada.send("/portal/people", user_name="ben@meadow.example", name="Ben")
    assert page.status == 201
    link, code = page.code("set-up-link"), page.code("set-up-code")
    assert link == f"https://headland.test:8443/portal/set-up#{code}"
    ben = portal.browser()
    words = "wagon thistle under seven"
    assert (await ben.send("/portal/set-up", code=code, password=words, again=words)).status == 303
    assert "Good to see you, Ben" in (await ben.open("/portal/")).text
    trail = (await ada.open("/portal/data/audit/entries")).response
    assert code not in trail.text


async def test_who_is_no_administrator_neither_sees_people_nor_adds_one(portal):
    eve = await portal.person("eve", administrator=False)
    assert "People" not in (await eve.open("/portal/")).text
    assert (await eve.open("/portal/people")).status == 403
    page = await eve.send("/portal/people", on="/portal/account", user_name="mallory")
    assert page.status == 403


@pytest.mark.parametrize("name", ["", "a b", "-x", "x" * 121, "a/b", "ada", "ADA"])
async def test_names_that_are_none_or_taken_are_refused(portal, name):
    ada = await portal.person()
    page = await ada.send("/portal/people", user_name=name)
    assert page.status in {400, 409}
    assert re.search(
        "User name must have|User name: somebody has that name already",
        page.text.partition("Add a person")[2],
    )


async def test_a_disabled_person_is_out_at_once_and_in_again_when_enabled(portal):
    ada, ben = await portal.person(), await portal.person("ben", administrator=False)
    await ada.send("/portal/people/ben", what="disable")
    assert (await ben.open("/portal/")).status == 401
    assert (await ben.sign_in("ben")).status == 401
    await ada.send("/portal/people/ben", what="enable")
    assert (await ben.sign_in("ben")).status == 303


async def test_an_administrator_lists_a_persons_sessions_and_ends_one(portal, inside):
    ben, there = await portal.person("ben", administrator=False), portal.browser("192.0.2.9")
    await there.sign_in("ben")
    listed = (await inside.call("GET", "/identity/people/ben/sessions")).document["sessions"]
    assert {one["address"] for one in listed} == {"127.0.0.1", "192.0.2.9"}
    assert {one["agent"] for one in listed} == {"Tester/1.0"}
    (id_,) = [one["id"] for one in listed if one["address"] == "192.0.2.9"]
    await portal.person("eve")
    for path in (f"/identity/people/eve/sessions/{id_}", "/identity/people/ben/sessions/none"):
        with pytest.raises(RefusedError) as refused:
            await inside.call("DELETE", path)
        assert refused.value.status == 404
    await inside.call("DELETE", f"/identity/people/ben/sessions/{id_}")
    assert [(await one.open("/portal/")).status for one in (ben, there)] == [200, 401]
    trail = (await inside.call("GET", "/audit/entries")).document["entries"]
    assert trail[0]["action"] == "person.session-ended"


async def test_rights_count_with_the_next_request(portal):
    ada, ben = await portal.person(), await portal.person("ben", administrator=False)
    assert (await ben.open("/portal/people")).status == 403
    await ada.send("/portal/people/ben", what="raise")
    assert (await ben.open("/portal/people")).status == 200
    await ada.send("/portal/people/ben", what="lower")
    assert (await ben.open("/portal/people")).status == 403


async def test_a_reset_takes_password_and_sessions(portal):
    ada, ben = await portal.person(), await portal.person("ben", administrator=False)
    page = await ada.send("/portal/people/ben/reset", on="/portal/people/ben")
    assert (await ben.open("/portal/")).status == 401
    assert (await ben.sign_in("ben")).status == 401
    words = "kettle orchard nineteen"
    code = page.code("set-up-code")
    assert (await ben.send("/portal/set-up", code=code, password=words, again=words)).status == 303


async def test_a_deleted_person_is_gone(portal):
    ada, ben = await portal.person(), await portal.person("ben", administrator=False)
    page = await ada.send("/portal/people/ben/delete", on="/portal/people/ben")
    assert "The person is deleted." in (await ada.follow(page)).text
    assert (await ben.open("/portal/")).status == 401
    assert (await ada.open("/portal/people/ben")).status == 404


async def test_what_people_are_called_is_shown_and_not_run(portal):
    ada = await portal.person()
    name = "<script>alert(1)</script>"
    await ada.send("/portal/people", user_name="mallory", name=name)
    page = await ada.open("/portal/people")
    assert name not in page.html
    assert name in page.text


async def test_what_a_page_was_to_say_is_said_to_nobody_else(portal):
    """Whoever makes an address does not put words into a page."""
    ada, eva = await portal.person(), await portal.person("eva")
    made = await ada.send("/portal/applications/new", name="Drone")
    page = await ada.open(made.location)
    assert "The application is registered." in page.text
    for location in (made.location.replace("registered", "gone"), made.location.partition("&seal")[0]):
        assert "The application is" not in (await ada.open(location)).text
    assert "The application is" not in (await eva.open(made.location)).text
