"""Who submitted a job is kept as its token said: that is whom the job acts for."""

import pytest
from tests.service.jobs.conftest import BODY, CLIENT, SECRET, TENANT

from headland.jobs import identity
from headland.security import Principal
from headland.settings import JobsSettings, ServerSettings

pytestmark = pytest.mark.anyio

OBJECT = "12121212-3434-5656-7878-909090909090"


async def submitter(service, answer, kind: str = "batch") -> Principal | None:
    assert answer.status_code == 201, answer.text
    if kind == "session":
        from headland.jobs.sessions import store

        row = service.database.read(lambda connection: store.get(connection, answer.json()["id"]))
    else:
        row = service.row(answer.json()["id"])
    return identity.decode(row.submitter)


async def test_by_token(service):
    expected = Principal(TENANT, CLIENT, OBJECT)
    assert await submitter(service, await service.post(json=BODY)) == expected
    session = await service.post("/sessions", json={"kind": "pyspark"})
    assert await submitter(service, session, "session") == expected


async def test_roles_are_not_kept(service):
    headers = {**service.headers(), "authorization": f"Bearer {service.token(roles=['Administrator'])}"}
    answer = await service.public.post("/batches", json=BODY, headers=headers)
    kept = await submitter(service, answer)
    assert kept is not None
    assert not kept.roles
    assert b"Administrator" not in service.row(answer.json()["id"]).submitter


async def test_by_client_id_and_secret(make_service):
    service = await make_service(server=ServerSettings(private_authentication="basic"))
    answer = await service.private.post("/batches", json=BODY, auth=(CLIENT, SECRET))
    assert await submitter(service, answer) == Principal(TENANT, CLIENT, "object")


async def test_nobody_in_particular(make_service):
    service = await make_service(server=ServerSettings(private_authentication="none"))
    assert await submitter(service, await service.private.post("/batches", json=BODY)) is None


@pytest.mark.parametrize("path", ["/batches?doAs=alice", "/batches"])
async def test_for_somebody_else_it_is_who_submitted_it(make_service, path):
    """The proxied name is Hadoop's; tokens are for who asked."""
    service = await make_service(jobs=JobsSettings(impersonation=True, superusers=(CLIENT,)))
    body = BODY if "doAs" in path else {**BODY, "proxyUser": "alice"}
    answer = await service.post(path, json=body)
    assert answer.json()["proxyUser"] == "alice"
    assert await submitter(service, answer) == Principal(TENANT, CLIENT, OBJECT)


async def test_a_jobs_own_token_submits_nothing(service):
    """Not even to another API of the same audience's: the guard is the job service's own."""
    token = service.token(act={"sub": "batch/0"})
    headers = {**service.headers(), "authorization": f"Bearer {token}"}
    for path, body in (("/batches", BODY), ("/sessions", {"kind": "pyspark"})):
        answer = await service.public.post(path, json=body, headers=headers)
        assert answer.status_code == 401
        assert "The token is a job's" in answer.json()["msg"]
    for path in ("/batches", "/sessions", "/version"):
        assert (await service.public.get(path, headers=headers)).status_code == 401
    for malformed in ({"sub": ""}, {}, "batch/0", {"sub": 7}):
        wrong = {**headers, "authorization": f"Bearer {service.token(act=malformed)}"}
        assert (await service.public.get("/batches", headers=wrong)).status_code == 401
