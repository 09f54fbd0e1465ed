"""Batches by id and by name, on every route of an item."""

from urllib.parse import quote

import pytest
from tests.databases import ON_BOTH

pytestmark = [ON_BOTH, pytest.mark.anyio]

ROUTES = [
    ("GET", "/batches/{}"),
    ("GET", "/batches/{}/state"),
    ("GET", "/batches/{}/log"),
    ("GET", "/batches/{}/progress"),
    ("POST", "/batches/{}/kill"),
    ("DELETE", "/batches/{}"),
]
READS = [path for method, path in ROUTES if method == "GET"]


#: What is in the path, and how it is called in the answer.
NOBODY = {
    "99": "99",
    "2147483647": "2147483647",
    "-1": "-1",
    "1.5": "1.5",
    "+0": "+0",
    "nobody": "nobody",
    "0x0": "0x0",
    "%D9%A0": "\u0660",
    "Harvest": "Harvest",
    "a%20b": "a b",
    "%00": "\0",
    "n" * 300: "n" * 300,
}


@pytest.mark.parametrize(("method", "path"), ROUTES)
async def test_what_there_is_not(service, check_error, method, path):
    await service.submit(name="harvest")
    for reference, shown in NOBODY.items():
        answer = await service.public.request(method, path.format(reference), headers=service.headers())
        check_error(answer, 404, f"Session '{shown}' not found.")
    assert not service.row(0).unwanted


@pytest.mark.parametrize(("method", "path"), ROUTES)
async def test_ids_that_no_batch_can_have(service, check_error, method, path):
    for reference in ("2147483648", "99999999999", "9" * 5000):
        answer = await service.public.request(method, path.format(reference), headers=service.headers())
        check_error(answer, 400, f'For input string: "{reference[:80]}"')


@pytest.mark.parametrize("path", READS)
async def test_a_name_is_as_good_as_an_id(service, path):
    names = ["harvest", "Nightly harvest, 2nd run", "ernte-überblick", "a?b#c%20", "log", "1a", "-1", "..."]
    for name in names:
        await service.submit(name=name)
    for batch_id, name in enumerate(names):
        by_name = await service.get(path.format(quote(name, safe="")))
        by_id = await service.get(path.format(batch_id))
        assert by_name.status_code == 200, by_name.text
        assert by_name.json() == by_id.json()
        assert by_name.json()["id"] == batch_id


@pytest.mark.parametrize("path", READS)
async def test_leading_zeros_are_fine(service, path):
    await service.submit()
    await service.submit()
    answer = await service.get(path.format("0" * 40 + "1"))
    assert answer.json()["id"] == 1


async def test_the_newest_of_a_name_is_meant(service):
    await service.submit(name="harvest")
    service.end(0, exit_code=0)
    await service.submit(name="harvest")
    assert (await service.get("/batches/harvest")).json()["id"] == 1
    service.end(1, exit_code=1)
    assert (await service.get("/batches/harvest/state")).json() == {"id": 1, "state": "dead"}


async def test_a_name_that_is_taken(service, check_error):
    await service.submit()
    await service.submit(name="harvest")
    answer = await service.post(json={"file": "wasbs:///app.jar", "className": "demo.App", "name": "harvest"})
    check_error(answer, 400, "Rejected, Reason: Duplicate session name: Some(harvest) for session 1")
    assert (await service.get("/batches")).json()["total"] == 2


async def test_a_batch_is_killed_and_deleted_by_name(service, controller):
    await service.submit(name="harvest")
    with controller(service):
        answer = await service.post("/batches/harvest/kill")
        assert (answer.status_code, answer.text) == (200, '{"msg":"killed"}')
        assert (await service.get("/batches/harvest/state")).json() == {"id": 0, "state": "killed"}
        assert (await service.delete("/batches/harvest")).text == '{"msg":"deleted"}'
    assert service.row(0) is None
