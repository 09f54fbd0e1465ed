"""What the public service has and Headland has not is refused as such."""

from collections.abc import Callable

import pytest
from tests.databases import EITHER
from tests.farm_facts import known_operations
from tests.service.farm.conftest import Caller
from tests.service.farm.test_refusals import check

from headland.farm.absent import ABSENT
from headland.farm.versions import ALL, Version

pytestmark = [pytest.mark.anyio, pytest.mark.parametrize("template", EITHER, indirect=True)]


@pytest.mark.parametrize("version", sorted(ALL), ids=lambda version: version.name)
async def test_no_operation_of_the_public_service_is_taken_for_none(
    caller: Callable[..., Caller], version: Version
) -> None:
    admin = caller(version=version)
    refused = set()
    for known in known_operations(version.name):
        path = "/".join("x1" if "{" in each and ":" not in each else each for each in known.path.split("/"))
        answer = await admin(known.method, path.replace("{solutionId}", "a.b").replace("{collectionId}", "c"))
        if answer.status_code == 501:
            message = check(answer, 501, "NotImplemented")
            refused.add(next(group.name for group in ABSENT if f"'{group.name}'" in message))
        else:
            code = answer.headers.get("x-ms-error-code")
            assert code not in {"NotFound", "MethodNotAllowed"}, (known.method, known.path)
    there = {
        group.name for group in ABSENT if any(version.name in letters_of(each) for _, each in group.paths)
    }
    assert refused == there


def letters_of(letters: str) -> str:
    first, dash, last = letters.partition("-")
    return "ABCDEFG"["ABCDEFG".index(first) : "ABCDEFG".index(last) + 1] if dash else letters


async def test_a_right_is_asked_for_first(caller: Callable[..., Caller]) -> None:
    check(await caller("nobody")("GET", "/scenes"), 403, "AuthorizationFailed")
    check(await caller("reader")("GET", "/sensor-events"), 501, "NotImplemented")
    check(await caller("reader")("PATCH", "/sensor-mappings/m1", json={}), 403, "AuthorizationFailed")
    check(await caller("admin", aud="other")("GET", "/scenes"), 401, "AuthenticationFailed")
    check(await caller()("GET", "/scenery"), 404, "NotFound")
