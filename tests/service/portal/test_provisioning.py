"""An instance from the form to its roles, as a person makes it: by the control plane's own rules."""

import re
import time

import pytest

from headland.identity import applications as rules

pytestmark = pytest.mark.anyio

NEW = "/portal/instances/new"


def filled(portal, **changes: str) -> dict[str, str]:
    good = {
        "subscription": portal.subscription,
        "group": "",
        "new_group": "meadow",
        "name": "north-field",
        "location": "westeurope",
        "accepts": "yes",
    }
    return {**good, **changes}


async def created(portal, browser, **changes: str):
    page = await browser.send(f"{NEW}/create", on=NEW, **filled(portal, **changes))
    assert page.status == 303, page.text
    return page.location.removesuffix("/deployment")


async def test_from_the_form_to_the_review_to_the_deployment(portal):
    ada = await portal.person()
    form = await ada.open(NEW)
    assert "Create an instance" in form.text
    assert portal.subscription in form.text
    review = await ada.send(f"{NEW}/review", on=NEW, **filled(portal), tag_name="season", tag_value="2027")
    assert review.status == 200, review.text
    assert "Nothing speaks against it." in review.text
    assert "season: 2027" in review.text
    # Nothing is made before somebody says so.
    assert "No instances yet" in (await ada.open("/portal/instances")).text

    hidden = {
        name: review.value(name)
        for name in (
            "csrf",
            "subscription",
            "group",
            "new_group",
            "name",
            "location",
            "tag_name",
            "tag_value",
        )
    }
    made = await ada.client.post(f"{NEW}/create", data={**hidden, "accepts": "yes"})
    assert made.status_code == 303
    deployment = await ada.open(made.headers["location"])
    assert "Deploying. You may leave this page: it goes on." in deployment.text
    portal.assembly.deployer.work()
    part = await ada.open(made.headers["location"], headers={"hx-request": "true"})
    assert "The instance is ready." in part.text
    assert "<html" not in part.html
    page = await ada.open(made.headers["location"].removesuffix("/deployment"))
    assert page.code("instance-uri") == "https://headland.test:8443/farm/north-field"
    assert page.value("tag_name") == "season"
    assert "by ada" in page.text
    told = await ada.open(page.html.split('class="data"><a href="')[1].split('"')[0].replace("&amp;", "&"))
    assert told.response.json()["systemData"]["createdByType"] == "User"


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"name": ""}, "Give the instance a name."),
        ({"name": "north field"}, "1 to 63 letters and digits"),
        ({"new_group": ""}, "Choose a resource group"),
        ({"location": ""}, "Choose a region."),
        ({"tag_name": "", "tag_value": "2027"}, "A tag needs a name."),
    ],
)
async def test_what_is_missing_or_wrong_is_said_before_anything_is_made(portal, changes, said):
    ada = await portal.person()
    page = await ada.send(f"{NEW}/review", on=NEW, **filled(portal, **changes))
    assert page.status == 400
    assert said in page.text
    assert page.value("new_group") == filled(portal, **changes)["new_group"]


async def test_a_name_that_is_taken_is_refused_in_the_review_and_by_the_creation(portal):
    ada = await portal.person()
    await created(portal, ada)
    for group in ({"new_group": "other"}, {"new_group": "", "group": "meadow"}):
        page = await ada.send(f"{NEW}/review", on=NEW, **filled(portal, **group))
        assert page.status == 400
        assert "already" in page.text
    page = await ada.send(f"{NEW}/create", on=NEW, **filled(portal, new_group="other"))
    assert page.status == 409
    assert "already" in page.text.lower()


async def test_a_region_that_there_is_not_is_refused(portal):
    ada = await portal.person()
    page = await ada.send(f"{NEW}/create", on=NEW, **filled(portal, location="moon"))
    assert page.status == 400
    assert "moon" in page.text


async def test_the_instance_is_a_hidden_type_in_its_group(portal):
    ada = await portal.person()
    await created(portal, ada)
    group = f"/portal/subscriptions/{portal.subscription}/groups/meadow"
    page = await ada.open(group)
    assert "north-field" not in page.text
    assert "of hidden types (1)" in page.text
    page = await ada.open(f"{group}?hidden=on")
    assert "north-field Microsoft.AgFoodPlatform/farmBeats" in page.text
    assert re.search(r'name="hidden" value="on" checked', page.html)


async def test_a_role_is_given_by_name_and_taken_again(portal):
    ada = await portal.person()
    instance = await created(portal, ada)
    drone = portal.database.write_and_wait(
        lambda connection: rules.register(
            connection, portal.tenant, "Spraying Drone", administrator=False, created_by=None, now=portal.now
        )
    )
    found = await ada.open(f"{instance}/access/add?find=spray")
    assert "Spraying Drone" in found.text
    assert "Administrator Application" not in found.text
    reader = "7ec7ccdc-f61e-41fe-9aaf-980df0a44eba"
    page = await ada.send(f"{instance}/access/add", role=reader, principal=drone.object_id)
    listed = await ada.follow(page)
    assert "The role is assigned" in listed.text
    assert "AgFood Platform Service Reader" in listed.text
    assert "Spraying Drone" in listed.text
    # One role a principal and instance.
    contributor = "8508508a-4469-4e45-963b-2518ee0bb728"
    again = await ada.send(f"{instance}/access/add", role=contributor, principal=drone.object_id)
    assert again.status == 409
    assert "Spraying Drone" in again.text

    path = re.search(r'action="([^"]*/remove)"', listed.html)[1]
    gone = await ada.send(path, on=f"{instance}/access")
    assert "Spraying Drone" not in (await ada.follow(gone)).text


async def test_a_person_with_a_role_sees_what_the_role_lets_it_see(portal):
    ada, ben = await portal.person(), await portal.person("ben", administrator=False)
    instance = await created(portal, ada)
    assert "you have a role in none" in (await ben.open(NEW)).text
    assert (await ben.open(instance)).status in {403, 404}
    page = await ada.open(f"{instance}/access/add?find=ben")
    owner = next(
        tag
        for tag in re.findall(r'name="role" value="([^"]+)"[^>]*>\s*<span><strong>([^<]+)', page.html)
        if tag[1] == "Owner"
    )[0]
    ben_id = page.value("principal")
    assert (await ada.send(f"{instance}/access/add", role=owner, principal=ben_id)).status == 303
    assert (await ben.open(instance)).status == 200
    assert "Person" in (await ada.open(f"{instance}/access")).text
    page = await ben.open(f"{instance}/access/add")
    assert "Only administrators may look up names." in page.text


async def test_whoever_has_no_role_is_told_and_changes_nothing(portal):
    ada, ben = await portal.person(), await portal.person("ben", administrator=False)
    instance = await created(portal, ada)
    for path, form in (
        (f"{instance}/tags", {"tag_name": "x", "tag_value": "y"}),
        (f"{instance}/delete", {"confirmed": "north-field"}),
        (
            f"{instance}/access/add",
            {"role": "7ec7ccdc-f61e-41fe-9aaf-980df0a44eba", "principal": portal.tenant},
        ),
    ):
        page = await ben.send(path, on="/portal/account", **form)
        assert page.status in {403, 404}, path
    assert (await ada.open(instance)).status == 200


async def test_tags_are_saved_and_an_instance_is_deleted_by_its_name_alone(portal):
    ada = await portal.person()
    instance = await created(portal, ada)
    page = await ada.send(f"{instance}/tags", on=instance, tag_name="season", tag_value="2027")
    assert (await ada.follow(page)).value("tag_value") == "2027"
    page = await ada.send(f"{instance}/delete", on=instance, confirmed="north")
    assert (page.status, "Nothing was deleted." in page.text) == (400, True)
    page = await ada.send(f"{instance}/delete", on=instance, confirmed="North-Field")
    assert "north-field is deleted." in (await ada.follow(page)).text.lower()
    assert (await ada.open(instance)).status == 404


async def test_somebody_asks_for_a_subscription_and_an_administrator_decides(portal):
    ada, ben = await portal.person(), await portal.person("ben", administrator=False)
    path = "/portal/subscriptions"
    page = await ben.send(path, display_name="Ben's", reason="Trials")
    assert (page.status, "accepts the terms" in page.text) == (400, True)
    version = (await ben.open(path)).value("accept_terms")
    page = await ben.send(path, display_name="Ben's", reason="Trials", accept_terms=version)
    assert "An administrator decides." in (await ben.follow(page)).text
    asked = await ada.open(path)
    assert "Trials" in asked.text
    request = re.search(r"/portal/access-requests/([0-9a-f-]+)/approve", asked.html)[1]
    refused = await ben.send(f"/portal/access-requests/{request}/approve", on=path)
    assert refused.status == 403
    await ada.send(f"/portal/access-requests/{request}/approve", on=path, comment="Good luck")
    page = await ben.open(path)
    assert "Approved" in page.text
    assert "Good luck" in page.text
    assert "Ben's" in (await ben.open(NEW)).text


async def test_a_deployment_that_fails_says_why(portal, monkeypatch):
    ada = await portal.person()
    stores = portal.assembly.deployer._stores

    def fail(_key: str) -> None:
        raise OSError("no space is left")

    monkeypatch.setattr(stores, "lay_out", fail)
    instance = await created(portal, ada)
    portal.assembly.deployer.work()
    deadline = time.monotonic() + 5
    while "could not be deployed" not in (page := await ada.open(f"{instance}/deployment")).text:
        assert time.monotonic() < deadline, page.text
    assert "no space is left" in page.text
