"""What holds for every route: methods, slashes, `Accept`, unknown paths, the version."""

import re

import pytest

pytestmark = pytest.mark.anyio

JSON = "application/json; charset=UTF-8"
READS = ["/batches", "/batches/0", "/batches/0/state", "/batches/0/log", "/batches/0/progress", "/version"]
ALLOWED = {
    "/batches": {"GET", "HEAD", "POST"},
    "/batches/": {"GET", "HEAD", "POST"},
    "/batches/0": {"DELETE", "GET", "HEAD"},
    "/batches/0/state": {"GET", "HEAD"},
    "/batches/0/log": {"GET", "HEAD"},
    "/batches/0/progress": {"GET", "HEAD"},
    "/batches/0/kill": {"POST"},
    "/version": {"GET", "HEAD"},
}


@pytest.mark.parametrize("path", READS)
async def test_head_works_wherever_get_does(service, path):
    await service.submit()
    got = await service.get(path)
    headers = (await service.public.head(path, headers=service.bearer())).headers
    assert got.status_code == 200
    assert headers["content-type"] == got.headers["content-type"] == JSON
    assert headers["content-length"] == got.headers["content-length"]


async def test_head_of_what_there_is_not(service):
    answer = await service.public.head("/batches/7", headers=service.bearer())
    assert answer.status_code == 404


@pytest.mark.parametrize(("path", "allowed"), ALLOWED.items())
async def test_other_methods_are_405_and_say_which_there_are(service, check_error, path, allowed):
    await service.submit()
    for method in {"GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE"} - allowed:
        answer = await service.public.request(method, path, headers=service.headers())
        check_error(answer, 405, f"Method Not Allowed: {method} /livy{path}")
        assert set(answer.headers["allow"].split(", ")) == allowed
    assert service.row(0) is not None


@pytest.mark.parametrize("method", ["GET", "POST", "DELETE"])
async def test_unknown_paths_are_404_in_json(service, check_error, method):
    await service.submit()
    for path in (
        "",
        "/",
        "/nothing",
        "/batches/0/nothing",
        "/batches/0/state/more",
        "/batches//",
        "//nothing",
        "/session",
    ):
        answer = await service.private.request(method, path, headers=service.headers())
        check_error(answer, 404, f"Not Found: {method} ")
    assert not service.row(0).unwanted


async def test_the_collection_is_reached_with_a_slash_too(service):
    answer = await service.post("/batches/", json={"file": "wasbs:///app.jar", "className": "demo.App"})
    assert (answer.status_code, answer.headers["location"]) == (201, "/0")
    assert (await service.get("/batches/")).text == (await service.get("/batches")).text


@pytest.mark.parametrize("method", ["GET", "DELETE", "POST"])
async def test_an_item_is_not_and_nobody_is_redirected(service, check_error, method):
    await service.submit()
    answer = await service.public.request(method, "/batches/0/", headers=service.headers())
    check_error(answer, 404, f"Not Found: {method} /livy/batches/0/")
    assert "location" not in answer.headers
    assert service.row(0).delete_requested_at is None


@pytest.mark.parametrize(
    ("accept", "shown"),
    [
        ("application/vnd.livy.v9.9", "9.9"),
        ("application/vnd.livy.v9.9+json", "9.9"),
        ("application/vnd.livy.v0.2;q=1", "0.2"),
        ("application/vnd.livy.v1, application/json", "1"),
        ("application/vnd.livy.v", ""),
    ],
)
async def test_a_version_that_there_is_not_is_406(service, check_error, accept, shown):
    await service.submit()
    for path in READS[:-1]:
        answer = await service.public.get(path, headers={**service.bearer(), "accept": accept})
        check_error(answer, 406, f"No value found for '{shown}'")


@pytest.mark.parametrize(
    "accept",
    [
        "application/vnd.livy.v0.1",
        "application/vnd.livy.v0.1+json",
        "application/json, application/vnd.livy.v9",
        "application/json",
        "text/html",
        "*/*",
        "",
    ],
)
async def test_any_other_accept_gets_json(service, accept):
    answer = await service.public.get("/batches", headers={**service.bearer(), "accept": accept})
    assert (answer.status_code, answer.headers["content-type"]) == (200, JSON)


async def test_a_version_that_there_is_not_submits_nothing(service, check_error):
    answer = await service.public.post(
        "/batches",
        json={"file": "wasbs:///app.jar", "className": "demo.App"},
        headers=service.headers(accept="application/vnd.livy.v9"),
    )
    check_error(answer, 406, "No value found for '9'")
    assert service.is_untouched()


async def test_the_version_is_one_that_clients_can_compare(service):
    found = (await service.get("/version")).json()
    assert list(found) == ["version", "url", "branch", "revision", "date", "user"]
    match = re.match(r"(\d+)\.(\d+)\.(\d+)(\S+)$", found["version"])
    assert match
    # pylivy compares the parts as texts, and takes what sorts before 5 for too old to know `sql`.
    assert match[2] >= "5"


async def test_a_base_that_ends_with_a_slash(service):
    """Livy's own Python client puts `/sessions` behind whatever it was given."""
    await service.submit()
    for client, base in (
        (service.public, "https://headland.test:8443/livy/"),
        (service.private, "http://10.0.0.4:8998/"),
    ):
        for path in ("/batches", "//batches/0"):
            answer = await client.get(f"{base}{path}", headers=service.bearer())
            assert (answer.status_code, answer.json().get("id", 0)) == (200, 0), answer.url
        answer = await client.post(f"{base}/sessions", json={"kind": "sql"}, headers=service.headers())
        assert answer.status_code == 201
