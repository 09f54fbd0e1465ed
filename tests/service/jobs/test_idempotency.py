"""Submissions that are sent again under the same key."""

import asyncio

import pytest
from tests.databases import ON_BOTH

from headland.jobs.batches import store
from headland.settings import JobsSettings, ServerSettings

from .conftest import BODY, CLIENT, Service

pytestmark = [ON_BOTH, pytest.mark.anyio]

KEY = "8e03978e-40d5-43dd-bc93-6894a57f9324"


async def post(service: Service, key: str | None = KEY, path: str = "/batches", **fields: object):
    headers = service.headers(idempotency_key=key)
    return await service.public.post(path, json={**BODY, **fields}, headers=headers)


async def test_a_repetition_is_answered_with_the_batch_that_there_is(service):
    first = await post(service, name="harvest")
    again = await post(service, name="harvest")
    assert (first.status_code, first.headers["location"]) == (201, "/0")
    assert (again.status_code, again.headers["location"]) == (201, "/0")
    assert again.text == first.text
    service.run(0, b"ploughing\n")
    now = await post(service, name="harvest")
    assert (now.status_code, now.json()["state"], now.json()["log"]) == (
        201,
        "running",
        ["stdout: ", "ploughing"],
    )
    service.end(0, exit_code=0)
    assert (await post(service, name="harvest")).json()["state"] == "success"
    assert (await service.get("/batches")).json()["total"] == 1


async def test_without_a_key_each_is_another(service):
    assert [(await post(service, key=None)).json()["id"] for _ in range(2)] == [0, 1]


async def test_what_matters_is_the_submission_not_how_it_is_written(service):
    await post(service, numExecutors=2, conf={"spark.a": "1", "spark.b": "x"})
    again = await post(
        service, key=f'"{KEY}"', numExecutors="2", conf={"spark.b": "x", "spark.a": 1}, args=[]
    )
    assert (again.status_code, again.json()["id"]) == (201, 0)


@pytest.mark.parametrize(
    "changed", [{"args": ["2"]}, {"name": "b"}, {"conf": {"spark.a": "2"}}, {"className": "demo.Other"}]
)
async def test_a_key_is_for_one_submission(service, check_error, changed):
    await post(service, name="a", args=["1"], conf={"spark.a": "1"})
    answer = await post(service, **{"name": "a", "args": ["1"], "conf": {"spark.a": "1"}, **changed})
    check_error(
        answer, 422, f"Idempotency-Key '{KEY}' was sent before with another submission, which is batch 0"
    )
    assert service.row(1) is None


async def test_what_has_been_deleted_does_not_run_again(service, check_error):
    await post(service)
    service.database.write_and_wait(lambda connection: store.request_delete(connection, 0, 1))
    text = f"Idempotency-Key '{KEY}' was sent before for batch 0, which has been deleted since"
    check_error(await post(service), 409, text)
    service.database.write_and_wait(lambda connection: store.remove(connection, 0))
    check_error(await post(service), 409, text)
    assert (await service.get("/batches")).json()["total"] == 0
    assert (await post(service, key="another")).json()["id"] == 1


async def test_each_caller_has_keys_of_its_own(make_service):
    service = await make_service(server=ServerSettings(private_authentication="none"))
    headers = {"idempotency-key": KEY}
    ids = [(await post(service)).json()["id"]]
    ids += [
        (await service.private.post("/batches", json=BODY, headers=headers)).json()["id"] for _ in range(2)
    ]
    other = {"authorization": f"Bearer {service.token(azp='other')}", "x-requested-by": "test"}
    ids.append((await service.public.post("/batches", json=BODY, headers={**headers, **other})).json()["id"])
    assert ids == [0, 1, 1, 2]


async def test_on_behalf_of_another_it_is_another_submission(make_service, check_error):
    service = await make_service(jobs=JobsSettings(impersonation=True, superusers=(CLIENT,)))
    for _ in range(2):
        assert (await post(service, path="/batches?doAs=alice")).json()["id"] == 0
    check_error(await post(service, path="/batches?doAs=bob"), 422, "another submission")


async def test_of_many_at_once_one_is_taken(service):
    answers = await asyncio.gather(*(post(service, name="harvest") for _ in range(20)))
    assert {(answer.status_code, answer.json()["id"]) for answer in answers} == {(201, 0)}
    assert service.row(1) is None


async def test_an_archive_may_be_gone_when_its_submission_is_repeated(service):
    await post(service)
    (service.home.storage / "headland" / "default" / "app.jar").unlink()
    assert (await post(service)).status_code == 201


async def test_what_was_refused_may_be_put_right_under_its_key(service, check_error):
    check_error(await post(service, file="wasbs:///gone.jar"), 400, "There is no blob")
    await post(service, key=None, name="harvest")
    check_error(await post(service, name="harvest"), 400, "Duplicate session name")
    assert (await post(service, name="sowing")).json()["id"] == 1


@pytest.mark.parametrize(
    ("given", "problem"),
    [
        ("", "must be one text"),
        ('""', "has 0 characters"),
        ("k" * 256, "has 256 characters; it must have 1 to 255"),
        ('"' + "k" * 256 + '"', "has 256 characters"),
        ("a b", "must be one text"),
        ("a, b", "must be one text"),
        ('"a', "must be one text"),
        ('"a"b', "must be one text"),
        ('"\\a"', "must be one text"),
        ("\u00e4".encode(), "must be one text"),
        ("a\tb", "must be one text"),
    ],
)
async def test_malformed_keys(service, check_error, given, problem):
    check_error(await post(service, key=given), 400, f"Idempotency-Key {problem}")
    assert service.is_untouched()


async def test_two_keys_are_none(service, check_error):
    headers = [*service.headers().items(), ("idempotency-key", "a"), ("idempotency-key", "b")]
    check_error(
        await service.public.post("/batches", json=BODY, headers=headers), 400, "Idempotency-Key must be one"
    )


@pytest.mark.parametrize(
    "given", ["k" * 255, '"a, b"', '"a \\"b\\" \\\\"', "a;b=c", "!#$%&'()*+-./:;<=>?@[]^_`{|}~"]
)
async def test_keys_that_are_good(service, given):
    assert [(await post(service, key=given)).json()["id"] for _ in range(2)] == [0, 0]
