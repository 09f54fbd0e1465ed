"""Environments in the portal: the list, the form, one while it is built and afterwards, and what jobs may choose."""

import msgspec
import pytest
from tests.service.portal.conftest import SETTINGS, Browser, Page

from headland.jobs.batches import store as batches
from headland.jobs.environments import store
from headland.jobs.environments.content import Description
from headland.jobs.environments.wire import Package
from headland.settings import JobsSettings, Settings

pytestmark = pytest.mark.anyio

PATH = "/portal/environments"
NEW = f"{PATH}/_new"
DIGEST = "c" * 32
CONTENT = Description("3.11", [Package("pandas", "2.2.3"), Package("numpy", "2.0.1")], 81_500_000)


async def upload(browser: Browser, content: bytes, **form: str) -> Page:
    token = (await browser.open(NEW)).value("csrf")
    files = {"file": ("requirements.txt", content, "text/plain")}
    return Page(await browser.client.post(NEW, data={"csrf": token, **form}, files=files))


def finish(portal, **end: str) -> None:
    """Have the build that is next end, as its builder puts it on record."""
    if "digest" in end:
        folder = portal.assembly.deployment.home.environments / end["digest"]
        folder.mkdir(parents=True)
        (folder / "environment.json").write_bytes(msgspec.json.encode(CONTENT))

    def change(connection):
        return store.finish(connection, store.next_to_build(connection).key, portal.now, **end)

    assert portal.database.write_and_wait(change)


def says(portal, output: str) -> None:
    portal.database.write_and_wait(
        lambda connection: store.tell(connection, store.next_to_build(connection).key, output)
    )


async def test_one_is_made_of_what_was_pasted_and_watched_until_it_is_ready(portal):
    ada = await portal.person()
    page = await ada.send(NEW, name="soil", requirements="pandas>=2.2  # tables\r\nnumpy\r\n")
    assert (page.status, page.location) == (303, f"{PATH}/soil")
    page = await ada.open(page.location)
    assert "pandas>=2.2 numpy" in page.text
    assert f'hx-get="{PATH}/soil"' in page.html
    assert f'hx-get="{PATH}"' in (await ada.open(PATH)).html
    says(portal, "Downloading pandas (12.1MiB)\n")
    part = await ada.open(f"{PATH}/soil", headers={"hx-request": "true"})
    assert "Downloading pandas (12.1MiB)" in part.text
    assert "<main" not in part.html
    finish(portal, digest=DIGEST, output="pandas==2.2.3\n")
    part = await ada.open(f"{PATH}/soil", headers={"hx-request": "true"})
    assert (part.status, part.response.headers["hx-refresh"]) == (204, "true")
    page = await ada.open(f"{PATH}/soil")
    assert all(each in page.text for each in ("ready", "81.5 MB", "pandas 2.2.3", "numpy 2.0.1", "3.11"))
    assert page.code("conf") == "spark.headland.environment=soil"
    assert "hx-get" not in page.html
    listed = await ada.open(PATH)
    assert "soil ready 2 81.5 MB 3.11 me" in listed.text
    assert "default for jobs that name none ready" in listed.text
    assert "hx-get" not in listed.html


async def test_one_is_made_of_a_file(portal):
    ada = await portal.person()
    page = await upload(ada, b"\xef\xbb\xbfpolars\r\n", name="soil", requirements="pandas\n")
    assert page.status == 303, page.text
    row = portal.database.read(lambda connection: store.get(connection, "soil"))
    assert row.requirements == "polars\n"


@pytest.mark.parametrize(
    ("form", "field", "said"),
    [
        ({"name": ""}, "name", "name: '' is not up to 63"),
        ({"name": "Soil"}, "name", "name: 'Soil' is not up to 63"),
        ({"name": "_new"}, "name", "name: '_new' is not"),
        ({"name": "default"}, "name", "there is an environment 'default' already"),
        ({"name": "../<b>"}, "name", "name: '../<b>' is not"),
        ({"requirements": ""}, "requirements", "requirements name no package"),
        ({"requirements": "pandas\n-r /etc/passwd"}, "requirements", "requirements, line 2: options"),
        ({"requirements": "x" * 300_000}, "requirements", "requirements are larger than 262144 bytes"),
    ],
)
async def test_what_is_wrong_is_said_at_its_field_and_the_rest_is_kept(portal, form, field, said):
    ada = await portal.person()
    page = await ada.send(NEW, **{"name": "soil", "requirements": "pandas", **form})
    assert page.status in {400, 409}
    assert said in page.text
    tag = page.html[page.html.index(f'id="{field}"') :].partition(">")[0]
    assert 'aria-invalid="true"' in tag
    if field == "name":
        assert ">pandas</textarea>" in page.html
    else:
        assert page.value("name") == "soil"


async def test_a_file_that_is_wrong_can_be_mended_in_the_form(portal):
    ada = await portal.person()
    page = await upload(ada, b"pandas\n--index-url https://elsewhere", name="soil")
    assert page.status == 400
    assert "requirements, line 2: options" in page.text
    assert "--index-url https://elsewhere</textarea>" in page.html
    page = await upload(ada, b"caf\xe9", name="soil", requirements="pandas")
    assert page.status == 400
    assert "requirements: requirements.txt is not UTF-8 text." in page.text
    assert ">pandas</textarea>" in page.html
    page = await upload(ada, bytes(2 << 20), name="soil")
    assert page.status == 413
    assert "larger than the 1 MB" in page.text


async def test_a_form_of_another_page_makes_and_removes_nothing(portal):
    ada = await portal.person()
    assert (await ada.send(NEW, name="soil", requirements="pandas")).status == 303
    for path, form in ((NEW, {"name": "oil", "requirements": "x"}), (f"{PATH}/soil/remove", {})):
        forged = await ada.client.post(path, data={"csrf": "x", **form})
        assert forged.status_code == 403
        elsewhere = await portal.browser().client.post(path, data=form)
        assert elsewhere.status_code in {401, 403}
    rows = portal.database.read(store.everything)
    assert [row.name for row in rows] == ["soil"]


async def test_one_that_failed_says_why_and_is_built_again(portal):
    ada = await portal.person()
    await ada.send(NEW, name="soil", requirements="no-such-package")
    finish(portal, problem="there is no no-such-package <at all>", output="x No solution found\n")
    page = await ada.open(f"{PATH}/soil")
    assert "there is no no-such-package <at all>" in page.text
    assert "No solution found" in page.text
    again = await ada.send(
        NEW, on=f"{PATH}/soil", name=page.value("name"), requirements=page.value("requirements")
    )
    assert again.status == 303, again.text
    assert portal.database.read(lambda connection: store.get(connection, "soil")).state == "building"


async def test_one_is_removed_and_who_watches_it_is_told(portal):
    ada = await portal.person()
    await ada.send(NEW, name="soil", requirements="pandas")
    page = await ada.send(f"{PATH}/soil/remove", on=f"{PATH}/soil")
    assert "The environment soil is removed." in (await ada.follow(page)).text
    part = await ada.open(f"{PATH}/soil", headers={"hx-request": "true"})
    assert (part.status, "removed while you looked at it" in part.text) == (200, True)
    assert (await ada.open(f"{PATH}/soil")).status == 404


async def test_the_one_that_came_with_headland_stays(portal):
    ada = await portal.person()
    page = await ada.open(f"{PATH}/default")
    assert "pyspark" in page.text
    assert "Remove" not in page.text
    page = await ada.send(f"{PATH}/default/remove", on=NEW)
    assert page.status == 400
    assert "can't be removed" in page.text


def controlled(**settings: tuple[str, ...]) -> Settings:
    return msgspec.structs.replace(SETTINGS, jobs=JobsSettings(access_control=True, **settings))


async def test_only_who_made_one_or_may_more_removes_it(make_portal):
    portal = make_portal(controlled())
    ada, bo = await portal.person(), await portal.person("bo", administrator=False)
    for browser, name in ((ada, "soil"), (bo, "water")):
        assert (await browser.send(NEW, name=name, requirements=name)).status == 303
    assert (await bo.open(f"{PATH}/soil")).status == 200
    page = await bo.send(f"{PATH}/soil/remove", on=NEW)
    assert (page.status, "environment 'soil'" in page.text) == (403, True)
    for name in ("soil", "water"):
        assert (await ada.send(f"{PATH}/{name}/remove", on=NEW)).status == 303


async def test_who_may_not_use_the_job_service_is_told_so_and_makes_none(make_portal):
    portal = make_portal(controlled(allowed_users=()))
    bo = await portal.person("bo", administrator=False)
    assert (await bo.open(PATH)).status == 403
    page = await bo.send(NEW, name="soil", requirements="pandas")
    assert page.status == 403
    assert ">pandas</textarea>" in page.html
    assert portal.database.read(store.everything) == []
    # What a form would have offered is no reason not to show it.
    assert "What jobs get that name none" in (await bo.open("/portal/jobs/new")).html


async def test_jobs_choose_one_by_name(portal):
    ada = await portal.person()
    for name in ("soil", "water"):
        await ada.send(NEW, name=name, requirements=name)
    finish(portal, digest=DIGEST)
    for place in ("/portal/jobs/new", "/portal/sessions/new"):
        form = (await ada.open(place)).html
        assert '<option value="">default, which jobs get that name none</option>' in form
        assert '<option value="soil">soil</option>' in form
        assert '<option value="water" disabled>water (building)</option>' in form
    page = await ada.send(
        "/portal/jobs/new", file="wasbs:///app.jar", class_name="demo.App", name="sums", environment="soil"
    )
    assert page.status == 303, page.text
    row = portal.database.read(lambda connection: batches.find(connection, "sums"))
    request = msgspec.json.decode(row.request)
    assert request["environment"] == DIGEST
    assert request["conf"]["spark.headland.environment"] == "soil"
    page = await ada.send("/portal/sessions/new", kind="pyspark", environment="soil")
    assert page.status == 303, page.text
    made = (await ada.open("/portal/data/livy/sessions/0")).response.json()
    assert made["conf"]["spark.headland.environment"] == "soil"


@pytest.mark.parametrize("place", ["/portal/jobs/new", "/portal/sessions/new"])
@pytest.mark.parametrize(
    ("form", "said"),
    [
        ({"environment": "gone"}, "conf['spark.headland.environment']: there is no environment 'gone'."),
        (
            {"environment": "default", "conf": "spark.headland.environment=soil"},
            "conf['spark.headland.environment']: is another one than the environment that is chosen.",
        ),
    ],
)
async def test_an_environment_that_can_not_be_had_is_said_at_its_field(portal, place, form, said):
    ada = await portal.person()
    page = await ada.send(
        place, **{"kind": "pyspark", "file": "wasbs:///app.jar", "class_name": "demo.App", **form}
    )
    assert page.status == 400
    assert said in page.text
    tag = page.html[page.html.index('id="environment"') :].partition(">")[0]
    assert 'aria-invalid="true"' in tag
    option = page.html[page.html.index(f"{form['environment']}</option>") - 80 :]
    assert "selected" in option[:80]
