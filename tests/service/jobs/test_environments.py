"""Environments over HTTP, without anybody who builds them: their rules, and what may go wrong."""

import pytest
from tests.databases import ON_BOTH

from headland.jobs.environments import store
from headland.jobs.environments.service import CONF
from headland.settings import JobsSettings

pytestmark = [pytest.mark.anyio, ON_BOTH]

SOIL = {"name": "soil", "requirements": "pandas>=2.2\n"}
CONTENT = "c" * 32


async def make(service, body, status=201, **claims):
    headers = service.headers(authorization=f"Bearer {service.token(**claims)}")
    answer = await service.public.post("/environments", json=body, headers=headers)
    assert answer.status_code == status, answer.text
    return answer.json()


def finish(service, **end):
    """Have a build end, as far as anybody can tell from the row."""

    def change(connection):
        row = store.next_to_build(connection)
        return store.finish(connection, row.key, 7, **end)

    assert service.database.write_and_wait(change)


async def submit(service, **conf):
    service.put("app.py", b"print(1)")
    return await service.post(json={"file": "wasbs:///app.py", "conf": conf})


async def test_an_environment_begins_as_building(service):
    made = await make(service, SOIL)
    assert (made["state"], made["digest"], made["packages"]) == ("building", None, [])
    assert made["requirements"] == "pandas>=2.2\n"
    listed = (await service.get("/environments")).json()["environments"]
    assert [each["name"] for each in listed] == ["default", "soil"]
    assert [each["default"] for each in listed] == [True, False]
    assert (await service.get("/environments/soil")).json() == made


async def test_the_default_names_its_packages_and_stays(service, check_error):
    own = (await service.get("/environments/default")).json()
    assert {"pandas", "pyarrow", "numpy", "pyspark"} <= {each["name"] for each in own["packages"]}
    check_error(await service.delete("/environments/default"), 400, "can't be removed")
    told = await make(service, {"name": "default", "requirements": "pandas"}, 409)
    assert told["msg"].startswith("name: there is an environment 'default' already")


async def test_the_same_request_again_makes_nothing_new(service):
    first = await make(service, SOIL)
    assert await make(service, {**SOIL, "requirements": "# tables\npandas >= 2.2"}, 200) == first
    told = await make(service, {**SOIL, "requirements": "polars"}, 409)
    assert told["msg"].startswith("name: ")


async def test_a_failed_build_is_begun_again(service):
    await make(service, SOIL)
    finish(service, problem="no such package")
    assert (await service.get("/environments/soil")).json()["state"] == "failed"
    again = await make(service, SOIL)
    assert (again["state"], again["problem"]) == ("building", None)


@pytest.mark.parametrize(
    ("body", "told"),
    [
        ({}, "name: is required"),
        ({"name": "soil"}, "requirements: is required"),
        ({"name": 7, "requirements": "pandas"}, "name: expected string, got integer"),
        ({"name": "soil", "requirements": ["pandas"]}, "requirements: expected string, got array"),
        ({"name": "soil", "requirements": None}, "requirements: expected string, got null"),
        ({**SOIL, "python": "3.9"}, "python: unknown field"),
        ({**SOIL, "name": ""}, "name: ''"),
        ({**SOIL, "name": "Soil"}, "name: 'Soil'"),
        ({**SOIL, "name": "../soil"}, "name: '../soil'"),
        ({**SOIL, "name": "s" * 64}, "name: "),
        ({**SOIL, "name": "soil\n"}, "name: "),
        ({**SOIL, "requirements": ""}, "requirements name no package"),
        ({**SOIL, "requirements": "-r /etc/passwd"}, "requirements, line 1: options"),
        (
            {**SOIL, "requirements": "x @ file:///etc/passwd"},
            "requirements, line 1: 'x' comes from an address",
        ),
    ],
)
async def test_wrong_requests_are_told_of_the_field(service, body, told):
    assert told in (await make(service, body, 400))["msg"]
    assert [each["name"] for each in (await service.get("/environments")).json()["environments"]] == [
        "default"
    ]


async def test_a_token_and_the_header_are_demanded(service, check_error):
    for call in (service.public.get("/environments"), service.public.delete("/environments/soil")):
        assert (await call).status_code == 401
    bare = await service.public.post("/environments", json=SOIL, headers=service.bearer())
    check_error(bare, 400, "X-Requested-By")


async def test_what_is_not_there(service, check_error):
    check_error(await service.get("/environments/soil"), 404, "Environment 'soil' not found.")
    check_error(await service.delete("/environments/soil"), 404, "Environment 'soil' not found.")


async def test_only_its_owner_removes_it_where_access_is_controlled(make_service):
    service = await make_service(jobs=JobsSettings(access_control=True))
    await make(service, SOIL, azp="somebody-else", sub="somebody-else")
    refused = await service.delete("/environments/soil")
    assert refused.status_code == 403
    assert "environment 'soil'" in refused.json()["msg"]
    own = {"authorization": f"Bearer {service.token(azp='somebody-else', sub='somebody-else')}"}
    assert (await service.public.delete("/environments/soil", headers=own)).json() == {"msg": "deleted"}


async def test_a_batch_keeps_the_content_that_its_environment_had(service):
    await make(service, SOIL)
    finish(service, digest=CONTENT)
    answer = await submit(service, **{CONF: "soil"})
    assert answer.status_code == 201, answer.text
    assert (await service.delete("/environments/soil")).status_code == 200
    assert f'"environment":"{CONTENT}"'.encode() in service.row(0).request


async def test_a_session_keeps_it_as_well(service, check_error):
    await make(service, SOIL)
    asked = {"kind": "pyspark", "conf": {CONF: "soil"}}
    check_error(await service.post("/sessions", json=asked), 400, "still being built")
    finish(service, digest=CONTENT)
    made = await service.post("/sessions", json=asked)
    assert made.status_code == 201
    assert made.json()["conf"] == {CONF: "soil"}


async def test_submissions_are_told_what_is_wrong_with_an_environment(service, check_error):
    named = f"conf['{CONF}']"
    check_error(await submit(service, **{CONF: "soil"}), 400, f"{named}: there is no environment 'soil'.")
    await make(service, SOIL)
    check_error(
        await submit(service, **{CONF: "soil"}), 400, f"{named}: environment 'soil' is still being built."
    )
    finish(service, problem="no such package")
    check_error(await submit(service, **{CONF: "soil"}), 400, "could not be built: no such package")
    both = {CONF: "soil", "spark.pyspark.python": "/usr/bin/python3"}
    check_error(await submit(service, **both), 400, "both say which Python is run")
    assert (await submit(service, **{CONF: "default"})).status_code == 201


async def test_the_settings_may_name_the_default(make_service, check_error):
    service = await make_service(jobs=JobsSettings(default_environment="soil"))
    check_error(await submit(service), 400, "jobs.default_environment: there is no environment 'soil'.")
    await make(service, SOIL)
    finish(service, digest=CONTENT)
    assert (await submit(service)).status_code == 201
    assert f'"environment":"{CONTENT}"'.encode() in service.row(0).request
    for conf in ({CONF: "default"}, {"spark.pyspark.python": "/usr/bin/python3"}):
        assert (await submit(service, **conf)).status_code == 201
    assert b'environment":"c' not in service.row(1).request + service.row(2).request
    listed = (await service.get("/environments")).json()["environments"]
    assert [(each["name"], each["default"]) for each in listed] == [("default", False), ("soil", True)]
