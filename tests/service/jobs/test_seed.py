"""The job service as it was specified: every row of the specification's tables, to the byte where it says so."""

import pytest

pytestmark = pytest.mark.anyio

JSON = "application/json; charset=UTF-8"
CLIENT = "99999999-8888-7777-6666-555555555555"
NO_APP_INFO = '{"driverLogUrl":null,"sparkUiUrl":null,"executorLogUrls":null}'
CREATED = (
    f'{{"id":0,"name":null,"owner":"{CLIENT}","proxyUser":null,"state":"starting","appId":null,'
    f'"appInfo":{NO_APP_INFO},"log":[]}}'
)


async def test_a_fresh_cluster_lists_nothing(service):
    answer = await service.get("/batches")
    assert answer.status_code == 200
    assert answer.headers["content-type"] == JSON
    assert answer.text == '{"from":0,"total":0,"sessions":[]}'


async def test_submit(service):
    answer = await service.post(json={"file": "wasbs:///app.jar", "className": "demo.App"})
    assert answer.status_code == 201
    assert answer.headers["location"] == "/0"
    assert answer.headers["content-type"] == JSON
    assert answer.text == CREATED


@pytest.mark.parametrize(
    "file",
    [
        "wasbs:///app.jar",
        "wasbs://default@headland/app.jar",
        "wasbs://default@headland.blob.core.windows.net/app.jar",
    ],
)
async def test_submit_by_every_form_of_a_storage_url(service, file):
    answer = await service.post(json={"file": file, "className": "demo.App"})
    assert (answer.status_code, answer.text) == (201, CREATED)


async def test_the_private_form_has_no_prefix(service):
    answer = await service.private.post(
        "/batches", json={"file": "wasbs:///app.jar", "className": "demo.App"}, headers=service.headers()
    )
    assert (answer.status_code, answer.headers["location"], answer.text) == (201, "/0", CREATED)
    for path in ("/batches/0", "/batches"):
        answer = await service.private.get(path, headers=service.bearer())
        assert answer.status_code == 200
        assert CREATED in answer.text
    answer = await service.private.get("/livy/batches", headers=service.bearer())
    assert answer.status_code == 404


async def test_the_id_of_the_answer_is_the_id_in_location_and_in_paths(service):
    for batch_id in range(3):
        answer = await service.post(json={"file": "wasbs:///app.jar", "className": "demo.App"})
        assert answer.json()["id"] == batch_id
        assert answer.headers["location"] == f"/{batch_id}"
        found = await service.get(f"/batches/{batch_id}")
        assert (found.status_code, found.json()) == (200, answer.json())


async def test_get(service):
    await service.submit()
    answer = await service.get("/batches/0")
    assert answer.status_code == 200
    assert answer.headers["content-type"] == JSON
    assert answer.text == CREATED


async def test_list(service):
    await service.submit()
    answer = await service.get("/batches")
    assert answer.status_code == 200
    assert answer.headers["content-type"] == JSON
    assert answer.text == f'{{"from":0,"total":1,"sessions":[{CREATED}]}}'


async def test_a_waiting_batch_is_deleted(service, controller):
    await service.submit()
    with controller(service):
        answer = await service.delete("/batches/0")
    assert answer.status_code == 200
    assert answer.headers["content-type"] == JSON
    assert answer.text == '{"msg":"deleted"}'
    assert service.row(0) is None
    assert (await service.get("/batches/0")).status_code == 404
    assert (await service.get("/batches")).text == '{"from":0,"total":0,"sessions":[]}'


@pytest.mark.parametrize("exit_code", [0, 1])
async def test_a_finished_batch_is_removed_completely(service, controller, exit_code):
    await service.submit()
    service.end(0, b"output\n", exit_code=exit_code)
    folder = service.directory(0).path
    assert folder.is_dir()
    with controller(service):
        answer = await service.delete("/batches/0")
    assert (answer.status_code, answer.text) == (200, '{"msg":"deleted"}')
    assert not folder.exists()
    assert service.row(0) is None
    assert (await service.get("/batches/0")).status_code == 404


async def test_the_next_batch_has_the_next_id_even_so(service, controller):
    await service.submit()
    with controller(service):
        await service.delete("/batches/0")
    assert (await service.submit())["id"] == 1


async def test_after_completion_the_log_holds_report_and_shutdown_messages(service):
    await service.submit(queue="night")
    service.end(0, b"42 fields\n", exit_code=0)
    found = (await service.get("/batches/0")).json()
    assert found["state"] == "success"
    labels = [line.partition(": ")[0] for line in found["log"]]
    assert labels[:8] == [
        "\nstderr",
        "\t diagnostics",
        "\t ApplicationMaster host",
        "\t queue",
        "\t start time",
        "\t final status",
        "\t tracking URL",
        "\t user",
    ]
    told = dict(line.strip().partition(": ")[::2] for line in found["log"][1:8])
    assert told["diagnostics"] == "N/A"
    assert told["queue"] == "night"
    assert told["start time"] == "1800000000000"
    assert told["final status"] == "SUCCEEDED"
    assert told["tracking URL"] == "https://headland.test:8443/livy/batches/0/log"
    assert told["user"]
    assert "Shutdown" in found["log"][8]
    assert "Shutdown complete" in found["log"][9]
    whole = (await service.get("/batches/0/log")).json()["log"]
    assert whole == ["stdout: ", "42 fields", *found["log"]]


@pytest.mark.parametrize("value", ["x", "ambari", "0"])
async def test_requested_by_may_be_any_text(service, value):
    answer = await service.public.post(
        "/batches",
        json={"file": "wasbs:///app.jar", "className": "demo.App"},
        headers=service.headers(x_requested_by=value),
    )
    assert answer.status_code == 201


async def test_local_paths_are_disabled_by_default(service, check_error, tmp_path):
    (tmp_path / "app.jar").write_bytes(b"zip")
    answer = await service.post(json={"file": str(tmp_path / "app.jar"), "className": "demo.App"})
    check_error(answer, 400, "cannot be added to user sessions. Upload the file to cluster storage")
    assert service.is_untouched()
