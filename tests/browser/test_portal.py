"""The portal as a person sees it: sign-in, an instance from form to role, applications; by axe, in each look."""

import json
import re

import pytest
from playwright.sync_api import expect

from tests.browser.arriving import PASSWORD

PLACES = {
    "home": "/",
    "instances": "/instances",
    "instance-new": "/instances/new",
    "subscriptions": "/subscriptions",
    "applications": "/applications",
    "application-new": "/applications/new",
    "people": "/people",
    "sessions": "/sessions",
    "session-new": "/sessions/new",
    "environments": "/environments",
    "environment-new": "/environments/_new",
    "environment-default": "/environments/default",
    "account": "/account",
    "nothing": "/nothing",
}

#: A ring that crosses itself.
BOW = [[9.0, 53.5], [9.01, 53.51], [9.01, 53.5], [9.0, 53.51], [9.0, 53.5]]
#: A file falls onto a page.
DROP = """(text) => {
  const data = new DataTransfer();
  data.items.add(new File([text], "fields.geojson"));
  document.querySelector("[data-drop]").dispatchEvent(new DragEvent("drop", { dataTransfer: data, bubbles: true }));
}"""


def test_who_is_not_signed_in_is_asked_for_name_and_password(make_tab):
    tab = make_tab(nobody=True)
    tab.go("/instances")
    tab.judge_each_look("sign-in")
    tab.page.get_by_label("User name").fill("ada")
    tab.page.get_by_label("Password").fill("wrong")
    tab.page.get_by_role("button", name="Sign in").click()
    tab.page.get_by_text("User name or password is wrong.").wait_for()
    tab.page.get_by_label("Password").fill(PASSWORD)
    tab.page.get_by_role("button", name="Sign in").click()
    tab.page.get_by_role("heading", name="Instances").wait_for()
    tab.go("/set-up")
    tab.judge_each_look("set-up")


@pytest.mark.parametrize("place", PLACES)
def test_pages_are_good_for_everybody(make_tab, place):
    tab = make_tab()
    tab.go(PLACES[place])
    tab.judge_each_look(place)


def test_a_session_is_started_and_what_is_wrong_stands_at_its_field(make_tab):
    tab = make_tab()
    page = tab.page
    tab.go("/sessions")
    page.get_by_role("link", name="Start a session").click()
    page.get_by_label("Language").select_option("sql")
    page.get_by_label("Name").fill("furrows")
    page.get_by_text("Resources and settings").click()
    page.get_by_label("How long it may live").fill("soon")
    page.get_by_role("button", name="Start").click()
    page.get_by_text("Invalid time string: soon").wait_for()
    tab.judge("session-new-wrong")
    page.get_by_label("How long it may live").fill("2h")
    page.get_by_role("button", name="Start").click()
    page.get_by_role("heading", name="furrows").wait_for()
    page.get_by_text("Delete this session").click()
    page.get_by_role("button", name="Delete session").click()
    page.get_by_text("The session is deleted.").wait_for()


def test_an_environment_is_made_watched_and_removed(make_tab, tmp_path):
    tab = make_tab()
    page = tab.page
    tab.go("/environments")
    page.get_by_role("link", name="Make an environment").click()
    page.get_by_label("Name").fill("ground")
    file = tmp_path / "requirements.txt"
    file.write_text("soil==1.0\n-r other.txt\n")
    page.get_by_label("Or a requirements file").set_input_files(file)
    page.get_by_role("button", name="Make").click()
    page.get_by_text("requirements, line 2: options").wait_for()
    tab.judge("environment-new-wrong")
    page.get_by_label("Requirements", exact=True).fill("soil==1.0\n")
    page.get_by_role("button", name="Make").click()
    page.get_by_role("heading", name="ground").wait_for()
    # It is told without a reload.
    page.locator("#environment .state", has_text="ready").wait_for(timeout=60_000)
    page.get_by_role("cell", name="soil").wait_for()
    tab.judge_each_look("environment")
    tab.go("/environments")
    page.get_by_role("link", name="ground").wait_for()
    tab.judge_each_look("environments")
    tab.go("/jobs/new")
    page.get_by_label("Environment").select_option("ground")
    tab.judge("job-new-environment")
    tab.go("/environments/ground")
    page.get_by_text("Remove this environment").click()
    page.get_by_role("button", name="Remove ground").click()
    page.get_by_text("The environment ground is removed.").wait_for()


def test_an_application_and_its_secret(make_tab):
    tab = make_tab()
    page = tab.page
    tab.go("/applications/new")
    page.get_by_label("App name").fill("Spraying Drone")
    page.get_by_role("button", name="Register").click()
    page.get_by_role("heading", name="Application registered").wait_for()
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    secret = page.locator("#client-secret").text_content()
    page.locator("button[data-copy=client-secret]").click()
    page.get_by_role("button", name="Copied").wait_for()
    assert page.evaluate("navigator.clipboard.readText()") == secret
    tab.judge("application-secret")
    page.get_by_role("link", name="I have copied it").click()
    page.get_by_role("heading", name="Spraying Drone").wait_for()
    assert secret not in page.content()
    tab.judge("application")


def test_an_instance_from_the_form_to_its_deployment(make_tab):
    tab = make_tab()
    page = tab.page
    tab.go("/instances")
    page.get_by_role("link", name="Create an instance").click()
    page.get_by_label("New resource group").fill("meadow")
    page.get_by_label("Instance name").fill("north field")
    page.get_by_label("Region").select_option("westeurope")
    page.get_by_label("Tag name").first.fill("season")
    page.get_by_label("Value").first.fill("2027")
    page.get_by_role("button", name="Review").click()
    page.get_by_text("1 to 63 letters and digits").first.wait_for()
    tab.judge("instance-new-wrong")
    page.get_by_label("Instance name").fill("north-field")
    page.get_by_role("button", name="Review").click()
    page.get_by_role("heading", name="Review + create").wait_for()
    tab.judge("instance-review")
    page.get_by_role("button", name="Create").click()
    page.get_by_role("heading", name="Deployment of north-field").wait_for()
    # It is told without a reload.
    page.get_by_text("The instance is ready.").wait_for()
    tab.judge("deployment")
    page.get_by_role("link", name="To the instance").click()
    page.get_by_role("heading", name="north-field").wait_for()
    tab.judge("instance")
    page.get_by_role("link", name="meadow").first.click()
    page.get_by_role("checkbox", name="Show hidden types").uncheck()
    page.get_by_text("of hidden types (1)").wait_for()
    tab.judge("group")
    page.get_by_role("checkbox", name="Show hidden types").check()
    page.get_by_role("link", name="north-field").wait_for()


def test_a_role_is_given_to_who_is_found_by_name(make_tab):
    tab = make_tab()
    page = tab.page
    tab.deployment.headland("app", "create", "Harvest planner")
    tab.deployment.headland("provider", "register", "Microsoft.AgFoodPlatform", "--quiet")
    tab.deployment.headland(
        "instance",
        "create",
        "east-field",
        "--group",
        "orchard",
        "--create-group",
        "--location",
        "westeurope",
        "--yes",
    )
    tab.go("/instances")
    page.get_by_role("link", name="east-field").click()
    page.get_by_role("link", name="Access control").click()
    page.get_by_role("link", name="Add role assignment").click()
    page.get_by_text("AgFood Platform Service Reader").click()
    page.get_by_label("Application or person, by name").press_sequentially("harvest")
    expect(page.locator("#matching label")).to_have_count(1)
    page.get_by_role("radio", name="Harvest planner").check()
    tab.judge("access-add")
    page.get_by_role("button", name="Save").click()
    page.get_by_text("The role is assigned, and counts from now on.").wait_for()
    tab.judge_each_look("access")


@pytest.mark.spark
def test_a_batch_is_watched_from_its_submission_to_its_end(make_tab, probe, tmp_path):
    tab = make_tab()
    page, served = tab.page, tab.deployment.served
    archive = served.put(probe, "probe.jar")
    tab.go("/jobs")
    tab.judge("jobs-empty")
    page.get_by_role("link", name="Submit a batch").click()
    tab.judge("job-new")
    page.get_by_label("Application archive or program").fill(archive)
    page.get_by_label("Entry class").fill("headland.tests.Probe")
    page.get_by_label("Arguments").fill(f"hold\n{tmp_path / 'go'}")
    page.get_by_label("Name").fill("spring-sums")
    page.get_by_role("button", name="Submit").click()
    page.get_by_role("heading", name="spring-sums").wait_for()
    # Neither state nor log are loaded again by anybody.
    page.locator("#job-state .state", has_text="running").wait_for(timeout=120_000)
    page.locator("#log", has_text="SparkContext").wait_for(timeout=120_000)
    tab.judge("job-running")
    page.get_by_placeholder("Find").fill("sparkcontext")
    page.get_by_text("lines have it.").wait_for()
    page.get_by_placeholder("Find").fill("")
    expect(page.get_by_text("Stop this batch")).to_have_count(1)
    (tmp_path / "go").touch()
    page.locator("#job-state .state", has_text="success").wait_for(timeout=60_000)
    expect(page.get_by_text("Stop this batch")).to_have_count(0)
    page.locator("#log", has_text="awaited").wait_for()
    tab.judge("job")
    with page.expect_download() as download:
        page.get_by_role("link", name="Download").click()
    assert "awaited" in download.value.path().read_text()
    # Spark's own pages, live or of the past, behind the same sign-in and under a policy of their own.
    page.get_by_role("link", name="as Spark shows them").click()
    page.get_by_role("heading", name="Spark Jobs").wait_for(timeout=120_000)
    page.get_by_role("link", name="Executors").click()
    page.get_by_role("cell", name="driver").first.wait_for()
    assert tab.complaints == []
    tab.go("/jobs?state=success")
    page.get_by_role("link", name="spring-sums").wait_for()
    tab.judge("jobs")
    tab.go("/jobs?state=dead")
    page.get_by_text("No batch is like that").wait_for()


@pytest.mark.spark
def test_a_batch_is_stopped_after_a_question(make_tab, probe, tmp_path):
    tab = make_tab()
    page, served = tab.page, tab.deployment.served
    body = {"file": served.put(probe, "probe.jar"), "className": "headland.tests.Probe"}
    batch = served.submit(**body, args=["await", str(tmp_path / "never")]).json()["id"]
    served.wait(batch, "running")
    tab.go(f"/jobs/{batch}")
    assert not page.get_by_role("button", name="Stop batch").is_visible()
    page.get_by_text("Stop this batch").click()
    page.get_by_role("button", name="Stop batch").click()
    page.get_by_text("The batch is stopped.").wait_for()
    page.locator("#job-state .state", has_text="killed").wait_for()
    page.get_by_text("The batch was killed on request.").first.wait_for()
    expect(page.get_by_text("Stop this batch")).to_have_count(0)


@pytest.fixture(scope="module")
def marsh(deployment):
    """An instance of this name with a field in it, which has an outline."""
    served, headland = deployment.served, deployment.headland
    headland("provider", "register", "Microsoft.AgFoodPlatform", "--quiet")
    where = ("--group", "marsh", "--create-group", "--location", "westeurope", "--yes")
    headland("instance", "create", "marsh", *where)
    ring = [[9.0, 53.5], [9.012, 53.502], [9.01, 53.509], [9.001, 53.507], [9.0, 53.5]]
    for path, body in (
        ("parties/hof", {"name": "Hof Marsch"}),
        ("parties/hof/farms/home", {"name": "Home farm"}),
        ("parties/hof/fields/west", {"name": "West field", "farmId": "home"}),
        (
            "parties/hof/boundaries/w1",
            {
                "name": "West 2027",
                "parentId": "west",
                "parentType": "Field",
                "geometry": {"type": "Polygon", "coordinates": [ring]},
            },
        ),
        *(
            (
                f"parties/hof/harvest-data/{year}",
                {
                    "associatedBoundaryId": "w1",
                    "operationStartDateTime": f"{year}-08-03T09:00:00Z",
                    "harvestProductDetails": [
                        {"productName": crop, "avgYield": {"value": tonnes, "unit": "t/ha"}}
                    ],
                },
            )
            for year, crop, tonnes in ((2024, "Wheat", 8.4), (2025, "Rape", 3.9), (2026, "Wheat", 8.9))
        ),
    ):
        answer = served.public.patch(
            f"/farm/marsh/{path}?api-version=2023-06-01-preview",
            json=body,
            headers={
                "authorization": f"Bearer {served.token('https://farmbeats.azure.net/.default')}",
                "content-type": "application/merge-patch+json",
            },
        )
        assert answer.status_code == 201, answer.text


@pytest.mark.usefixtures("marsh")
def test_a_field_with_its_outline_on_a_map(make_tab):
    tab = make_tab()
    page = tab.page
    tab.go("/farm")
    tab.judge("farm")
    page.get_by_role("link", name="marsh").click()
    page.get_by_role("link", name="Hof Marsch").click()
    page.locator("#map[data-drawn=yes]").wait_for()
    tab.judge("party")
    page.get_by_role("link", name="West field").click()
    page.locator("#map[data-drawn=yes]").wait_for()
    chart = page.locator(".plot[data-drawn=yes]")
    tab.judge_each_look("field")
    # What the table beside it says, by arrow keys: the chart is made of nothing else.
    chart.focus()
    for told in ("3 Aug 2024: Wheat 8.4 t/ha", "3 Aug 2025: Rape 3.9 t/ha", "3 Aug 2026: Wheat 8.9 t/ha"):
        page.keyboard.press("ArrowRight")
        page.get_by_text(told, exact=True).wait_for()
    expect(chart.locator("xpath=..").get_by_role("listitem")).to_have_text(["Wheat", "Rape"])
    page.locator("#map canvas").click()
    page.get_by_text("West 2027").first.wait_for()
    page.get_by_role("link", name="The same data in the API").click()
    assert '"West field"' in page.content()


@pytest.mark.usefixtures("marsh")
def test_a_boundary_is_drawn(make_tab):
    tab = make_tab()
    page = tab.page
    tab.go("/farm/marsh/parties/hof/fields/west")
    page.get_by_role("link", name="Draw a boundary").click()
    page.locator("#map[data-ready=yes]").wait_for()
    page.get_by_label("Latitude, longitude").fill("53.52, 9.03")
    page.get_by_role("button", name="Go there").click()
    page.get_by_role("button", name="Draw an outline").click()
    corners = [(100, 60), (300, 80), (280, 250), (120, 240)]
    for x, y in (*corners, corners[0]):
        page.locator("#map canvas").click(position={"x": x, "y": y})
    expect(page.locator("#geometry")).to_have_value(re.compile(r"^{.*}$", re.DOTALL))
    drawn = page.locator("#geometry").input_value()
    assert "[9.02" in drawn
    corner, left = page.locator("#map canvas").bounding_box(), corners[1]
    page.mouse.move(corner["x"] + left[0], corner["y"] + left[1])
    page.mouse.down()
    page.mouse.move(corner["x"] + 340, corner["y"] + 40, steps=3)
    page.mouse.up()
    expect(page.locator("#geometry")).not_to_have_value(drawn)
    page.get_by_role("button", name="Undo").click()
    expect(page.locator("#geometry")).to_have_value(drawn)
    tab.judge("draw")
    page.get_by_label("Name").fill("West 2028")
    page.get_by_role("button", name="Save").click()
    page.get_by_text("The boundary is saved.").wait_for()
    page.get_by_role("link", name="Change the outline").click()
    page.locator("#geometry").fill(json.dumps({"type": "Polygon", "coordinates": [BOW]}))
    page.get_by_role("button", name="Save").click()
    page.get_by_text("It intersects itself, at longitude 9.005").wait_for()
    page.locator("#map[data-ready=yes]").wait_for()
    tab.judge("draw-wrong")


@pytest.mark.usefixtures("marsh")
def test_a_boundary_is_drawn_by_touch(make_tab):
    tab = make_tab(viewport={"width": 390, "height": 820}, has_touch=True, is_mobile=True)
    page = tab.page
    fingers = page.context.new_cdp_session(page)

    def touch(*path: tuple[float, float]) -> None:
        """A finger goes down, along, and up; places are the map's."""
        box = page.locator("#map canvas").bounding_box()
        for number, (x, y) in enumerate(path):
            points = [{"x": box["x"] + x, "y": box["y"] + y}]
            kind = "touchMove" if number else "touchStart"
            fingers.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})
        fingers.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})

    tab.go("/farm/marsh/parties/hof/draw?field=west")
    page.locator("#map[data-ready=yes]").wait_for()
    page.get_by_role("button", name="Draw an outline").tap()
    page.locator("#map").scroll_into_view_if_needed()
    corners = [(60, 60), (250, 70), (240, 250), (80, 240)]
    # No finger meets a corner to the pixel.
    for x, y in (*corners, (72, 69)):
        touch((x, y))
    expect(page.locator("#geometry")).to_have_value(re.compile(r"^{.*}$", re.DOTALL))
    drawn = page.locator("#geometry").input_value()
    assert drawn.count("[") == 7
    touch((259, 78), (270, 100), (290, 120), (300, 130))
    expect(page.locator("#geometry")).not_to_have_value(drawn)
    dragged = page.locator("#geometry").input_value()
    touch((160, 245), (160, 260), (160, 280))
    expect(page.locator("#geometry")).not_to_have_value(dragged)
    assert page.locator("#geometry").input_value().count("[") == 8
    for before in (dragged, drawn):
        page.get_by_role("button", name="Undo").click()
        expect(page.locator("#geometry")).to_have_value(before)


@pytest.mark.usefixtures("marsh")
def test_a_file_is_dropped(make_tab):
    tab = make_tab()
    page = tab.page
    tab.go("/farm/marsh/parties/hof")
    page.get_by_role("link", name="Import boundaries").click()
    tab.judge("import")
    square = [[9.02, 53.5], [9.03, 53.5], [9.03, 53.51], [9.02, 53.51], [9.02, 53.5]]
    features = [
        {
            "type": "Feature",
            "geometry": {"type": "Polygon", "coordinates": [ring]},
            "properties": {"Name": name},
        }
        for name, ring in (("Polder", square), ("Bow", BOW))
    ]
    page.evaluate(DROP, json.dumps({"type": "FeatureCollection", "features": features}))
    page.get_by_text("1 of 2 outlines can be brought in.").wait_for()
    tab.judge("import-plan")
    page.get_by_role("checkbox", name="Make a field for each").check()
    page.get_by_role("button", name="Import 1").click()
    page.get_by_role("heading", name="The import is done").wait_for()
    tab.judge("import-done")
    page.get_by_role("link", name="To the party").click()
    page.get_by_role("link", name="Polder").wait_for()


def test_everything_works_without_scripts(make_tab):
    tab = make_tab(java_script_enabled=False)
    page = tab.page
    tab.go("/instances/new")
    page.get_by_label("New resource group").fill("fallow")
    page.get_by_label("Instance name").fill("south-field")
    page.get_by_label("Region").select_option("westeurope")
    page.get_by_role("button", name="Review").click()
    page.get_by_role("button", name="Create").click()
    page.get_by_text("The instance is ready.").wait_for()
    page.get_by_role("link", name="Give an application access").click()
    page.get_by_label("Application or person, by name").fill("ada")
    page.get_by_role("button", name="Find").click()
    page.get_by_role("radio", name="Ada Ackermann").check()
    page.get_by_text("AgFood Platform Service Reader").click()
    page.get_by_role("button", name="Save").click()
    page.get_by_text("The role is assigned, and counts from now on.").wait_for()


def test_the_first_page_is_small_and_there_at_once(make_tab):
    tab = make_tab()
    transferred: list[int] = []
    tab.page.on("response", lambda answer: transferred.append(_size(answer)))
    tab.go("/")
    tab.page.wait_for_load_state("networkidle")
    assert sum(transferred) < 60_000, transferred
    # Once more, with what every visit after the first has.
    tab.go("/")
    painted = tab.page.wait_for_function(
        # A function, since the page's policy lets nobody evaluate a text.
        "() => performance.getEntriesByType('paint').find(e => e.name === 'first-contentful-paint')?.startTime"
    ).json_value()
    print(f"first page {sum(transferred)} bytes, painted after {painted:.0f} ms")


def _size(answer) -> int:
    sizes = answer.request.sizes()
    return sizes["responseBodySize"] + sizes["responseHeadersSize"]
