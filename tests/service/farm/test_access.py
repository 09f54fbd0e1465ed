"""Who may do what on which instance."""

from collections.abc import Callable

import pytest
import shapely
from starlette.requests import Request
from tests.service.farm.conftest import DOMAIN, PUBLIC_URL, Caller, Directory, resource_id
from tests.service.farm.test_refusals import check

from headland.farm import Files, Instance, Pending, Stores, farm_operations
from headland.farm.access import Gate
from headland.farm.errors import ForbiddenError, InstanceNotFoundError
from headland.http.operations import Operation
from headland.security import Guard, Verifier

pytestmark = pytest.mark.anyio

Make = Callable[..., Caller]


READING = {"read", "list/action", "search/action", "overlap/action", "download/action"}
#: What each role may.
ALLOWED = {
    "reader": READING,
    "contributor": {*READING, "write"},
    "admin": {*READING, "write", "delete", "deletion job", "restore"},
}


@pytest.fixture
def operations(stores: Stores, pending: Pending, files: Files, directory: Directory) -> list[Operation]:
    """Every operation, as declared."""
    return farm_operations(
        guard=Guard(Verifier([]), frozenset()),
        authorizer=directory,
        instances=directory,
        stores=stores,
        pending=pending,
        files=files,
        max_body=1,
    )


@pytest.mark.parametrize("role", ALLOWED)
async def test_a_role_at_each_operation(
    admin: Caller, caller: Make, operations: list[Operation], role: str
) -> None:
    await admin.make("/parties/p1")
    outline = shapely.geometry.mapping(shapely.box(8, 50, 8.01, 50.01))
    for operation in operations:
        if not operation.guarded:
            continue
        if operation.path.endswith("/geodesic-area"):  # of a boundary that has an outline
            await admin("PATCH", "/parties/p1", json={})
            await admin("PATCH", "/parties/p1/boundaries/x1", json={"geometry": outline})
        right = str(operation.action).split("/", 3)[3]
        if "/deletionJobs/" in str(operation.action):
            right = "read" if right.endswith("read") else "deletion job"
        ids = {"{partyId}": "p1", "{resourceType}": "Party", "{resourceId}": "p1"}
        ids |= dict.fromkeys(("{zoom}", "{column}", "{row}"), "0")
        parts = operation.path.split("/")
        path = "/".join(ids.get(part, "x1") if part.startswith("{") else part for part in parts)
        media_type = operation.media_types[0]
        content = b"{}" if media_type == "application/json" else b""
        post = {"headers": {"content-type": media_type}, "content": content}
        body = {"PATCH": {"json": {}}, "POST": post}
        answer = await caller(role)(operation.method, path, **body.get(operation.method, {}))
        if right in ALLOWED[role]:
            # What lacks its parameters is refused, and by then its caller was let in.
            lacking = any(each.required for each in operation.parameters if each.name != "api-version")
            lacking = lacking or operation.media_types[0] == "multipart/form-data"
            lacking = lacking or (operation.method, media_type) == ("PUT", "application/json")
            expected = {400, 415} if lacking else {200, 201, 204, 404}
            assert answer.status_code in expected, (operation, answer.text)
        else:
            message = check(answer, 403, "AuthorizationFailed")
            assert str(operation.action) in message
            assert resource_id("meadow") in message


async def test_actions_are_named_as_the_roles_name_them(operations: list[Operation]) -> None:
    named = {operation.action for operation in operations if operation.guarded}
    assert "Microsoft.AgFoodPlatform/farmBeats/parties/write" in named
    assert "Microsoft.AgFoodPlatform/farmBeats/seasonalFields/list/action" in named
    assert None not in named


async def test_nobody_without_a_role(caller: Make) -> None:
    for method in ("GET", "PATCH", "DELETE"):
        body = {"json": {}} if method == "PATCH" else {}
        check(await caller("stranger")(method, "/parties/p1", **body), 403, "AuthorizationFailed")


async def test_a_role_counts_on_its_instance_alone(caller: Make) -> None:
    elsewhere = caller(base=f"{PUBLIC_URL}/farm/orchard")
    check(await elsewhere("GET", "/parties"), 403, "AuthorizationFailed")


async def test_what_is_taken_away_is_gone_at_once(caller: Make, directory: Directory) -> None:
    contributor = caller("contributor")
    assert (await contributor("GET", "/parties")).status_code == 200
    del directory.assigned["contributor", resource_id("meadow")]
    check(await contributor("GET", "/parties"), 403, "AuthorizationFailed")


async def test_instances_have_nothing_in_common(admin: Caller, caller: Make, directory: Directory) -> None:
    await admin.make("/parties/p1", name="meadow's")
    directory.assign("admin", "admin", "orchard")
    orchard = caller(base=f"{PUBLIC_URL}/farm/orchard")
    assert (await orchard("GET", "/parties/p1")).status_code == 404
    assert await orchard.ids("/parties") == []
    await orchard.make("/parties/p1", name="orchard's")
    assert (await admin("GET", "/parties/p1")).json()["name"] == "meadow's"


async def test_without_a_good_token(client) -> None:
    path, params = "/farm/meadow/parties", {"api-version": "2022-11-01-preview"}
    for headers in ({}, {"authorization": "Bearer x.y.z"}, {"authorization": "Basic eDp5"}):
        answer = await client.get(path, params=params, headers=headers)
        check(answer, 401, "AuthenticationFailed")
        assert answer.headers["www-authenticate"].startswith("Bearer ")
    # Whether there is such an instance is not for everybody to know.
    check(await client.get("/farm/none/parties", params=params), 401, "AuthenticationFailed")


async def test_tokens_for_others(caller: Make) -> None:
    check(await caller(aud="https://management.azure.com")("GET", "/parties"), 401, "AuthenticationFailed")
    for audience in ("https://farmbeats.azure.net/", PUBLIC_URL):
        assert (await caller(aud=audience)("GET", "/parties")).status_code == 200


@pytest.mark.parametrize("name", ["none", "meadow2", "%00", "%2e%2e", "store-meadow"])
async def test_instances_that_there_are_not(caller: Make, name: str) -> None:
    answer = await caller(base=f"{PUBLIC_URL}/farm")("GET", f"/{name}/parties")
    check(answer, 404, "ResourceNotFound")


@pytest.mark.parametrize(
    ("state", "status", "code"),
    [
        ("Accepted", 503, "InstanceNotReady"),
        ("Creating", 503, "InstanceNotReady"),
        ("Failed", 409, "InstanceNotReady"),
        ("Deleting", 404, "ResourceNotFound"),
    ],
)
async def test_instances_that_do_not_serve(
    admin: Caller, directory: Directory, state: str, status: int, code: str
) -> None:
    directory.instances["meadow"] = Instance("meadow", resource_id("meadow"), "store-meadow", state)
    answer = await admin("GET", "/parties")
    check(answer, status, code)
    assert ("retry-after" in answer.headers) == (status == 503)


async def test_an_instance_has_a_host_of_its_own(admin: Caller, caller: Make) -> None:
    by_host = caller(base=f"https://meadow.{DOMAIN}:8443")
    made = await by_host("PATCH", "/parties/p1", json={})
    assert made.headers["location"] == f"https://meadow.{DOMAIN}:8443/parties/p1"
    assert await admin.ids("/parties") == ["p1"]
    assert await caller(base=f"https://MEADOW.{DOMAIN}").ids("/parties") == ["p1"]
    check(await caller(base=f"https://none.{DOMAIN}")("GET", "/parties"), 404, "ResourceNotFound")
    check(await caller(base=f"https://orchard.{DOMAIN}")("GET", "/parties"), 403, "AuthorizationFailed")


async def test_what_was_decided_counts_until_the_version_changes(
    stores: Stores, directory: Directory, token: Callable[..., str], verifier: Verifier
) -> None:
    """As `headland serve` has it, where the version is the database's."""
    version = [1]
    gate = Gate(
        Guard(verifier, frozenset({PUBLIC_URL})), directory, directory, stores, version=lambda: version[0]
    )

    async def enters(object_id: str, action: str, name: str = "meadow") -> bool:
        headers = [(b"authorization", f"Bearer {token(oid=object_id, aud=PUBLIC_URL)}".encode())]
        try:
            visit = await gate.enter(Request({"type": "http", "headers": headers}), name, action)
        except (ForbiddenError, InstanceNotFoundError):
            return False
        assert visit.instance.name == name
        assert visit.principal.object_id == object_id
        return True

    assert await enters("reader", "x/read")
    assert not await enters("reader", "x/write")
    assert not await enters("reader", "x/read", "orchard")
    assert await enters("contributor", "x/write")
    # Refusals are never remembered.
    directory.assign("reader", "reader", "orchard")
    assert await enters("reader", "x/read", "orchard")
    directory.assigned.clear()
    version[0] += 1
    for object_id in ("reader", "contributor"):
        assert not await enters(object_id, "x/read")


async def test_callers_are_told_what_they_may(caller: Make) -> None:
    for role, verbs in (("reader", set()), ("contributor", {"write"}), ("admin", {"write", "delete"})):
        told = (await caller(role)("GET", "/rights")).json()["actions"]
        of_boundaries = {action.partition("/boundaries/")[2] for action in told} - {""}
        assert of_boundaries == {"read", "list/action", "search/action", "overlap/action", *verbs}
