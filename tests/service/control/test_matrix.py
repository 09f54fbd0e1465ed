"""Every cell of the authorization matrix, tried on the service: the guard, the rows and the routes are real; what
an operation would do is left out.
"""

import fnmatch
import re
import uuid
from dataclasses import replace

import httpx
import pytest
from starlette.responses import Response
from tests.databases import ON_EITHER

from headland.control.app import OPERATIONS, control_app
from headland.control.application import ControlApplication
from headland.control.authorization import RoleAuthorizer
from headland.control.matrix import LEVELS, cells, rows
from headland.control.records import Subscription
from headland.control.roles import ROLES
from headland.control.rows import subscriptions
from headland.security import Principal

pytestmark = [ON_EITHER, pytest.mark.anyio]

#: Of data: what an action is, by the seed's words. A job that deletes is a deletion.
DATA = {
    "parties/read": "read",
    "parties/write": "write",
    "parties/delete": "delete",
    "boundaries/search/action": "read",
    "boundaries/list/action": "read",
    "boundaries/overlap/action": "read",
    "scenes/download/action": "read",
    "datasets/access/checkConsent/action": "read",
    "sensors/renewToken/action": "write",
    "deletionJobs/parties/write": "delete",
    "deletionJobs/parties/read": "read",
    "cascadeDelete/delete": "delete",
}
SEED = {
    "AgFood Platform Service Admin": {"read", "write", "delete"},
    "AgFood Platform Service Contributor": {"read", "write"},
    "AgFood Platform Service Reader": {"read"},
}


async def _done(_request: object) -> Response:
    return Response(status_code=299)


def expected(role, row) -> bool:
    """By patterns again, in another way than the product reads them."""

    def has(patterns: tuple[str, ...]) -> bool:
        return any(fnmatch.fnmatchcase(row.action.lower(), pattern.lower()) for pattern in patterns)

    if row.action.startswith("Microsoft.AgFoodPlatform/farmBeats/parties"):
        return has(role.data_actions) and not has(role.not_data_actions)
    return has(role.actions) and not has(role.not_actions)


async def test_every_cell(deployment):
    app = ControlApplication(
        [replace(item, handler=_done) for item in OPERATIONS],
        control_app(deployment.service)._errors,
        deployment.service,
    )
    await deployment.ready("own-field", "other-field")
    other_subscription = str(uuid.uuid4())
    deployment.database.write_and_wait(
        lambda connection: subscriptions.add(
            connection, Subscription(other_subscription, deployment.tenant, "Other", 0)
        )
    )
    # What is beside a scope of each level, in the same tenant or, for the root, in another one.
    foreign = str(uuid.uuid4())
    deployment.database.write_and_wait(
        lambda connection: subscriptions.add(
            connection, Subscription(foreign, str(uuid.uuid4()), "Foreign", 0)
        )
    )
    own = {
        "root": "/",
        "subscription": deployment.base,
        "group": deployment.group(),
        "instance": deployment.instance("own-field"),
    }
    beside = {
        "root": (foreign, "meadow", "own-field"),
        "subscription": (other_subscription, "meadow", "own-field"),
        "group": (deployment.subscription, "barn", "own-field"),
        "instance": (deployment.subscription, "meadow", "other-field"),
    }
    callers = {}
    for role in ROLES:
        for level in LEVELS:
            holder = deployment.register(f"{role.name} at {level}"[:120])
            deployment.assign(holder, role.id, own[level])
            callers[role, level] = deployment.token(holder)
    transport = httpx.ASGITransport(app)
    tried = 0
    async with httpx.AsyncClient(transport=transport, base_url="https://headland.test") as client:
        for cell in cells(OPERATIONS):
            named = (deployment.subscription, "meadow", "own-field") if cell.own else beside[cell.level]
            # Beside an instance there is nothing on higher levels, and beside the root no path without subscription.
            if not cell.own and LEVELS.index(cell.row.level) < LEVELS.index(cell.level):
                continue
            path = _path(cell.row.path, named)
            answer = await client.request(
                cell.row.method,
                path,
                params={"api-version": "2023-06-01-preview"},
                headers={"authorization": f"Bearer {callers[cell.role, cell.level]}"},
            )
            wanted = 299 if cell.allowed else 403
            assert answer.status_code == wanted, (cell, path, answer.text)
            if cell.own and (cell.row.filtered or LEVELS.index(cell.level) <= LEVELS.index(cell.row.level)):
                assert cell.allowed == expected(cell.role, cell.row), cell
            if not cell.own:
                assert not cell.allowed
            tried += 1
        nobody = deployment.token(deployment.register("Nobody"))
        for row in rows(OPERATIONS):
            answer = await client.request(
                row.method,
                _path(row.path, (deployment.subscription, "meadow", "own-field")),
                params={"api-version": "2023-06-01-preview"},
                headers={"authorization": f"Bearer {nobody}"},
            )
            assert answer.status_code == 403, row
    assert tried > 2000


def _path(path: str, named: tuple[str, str, str]) -> str:
    subscription, group, instance = named
    scope = f"subscriptions/{subscription}/resourceGroups/{group}"
    scope += f"/providers/Microsoft.AgFoodPlatform/farmBeats/{instance}"
    known = {
        "subscriptionId": subscription,
        "resourceGroupName": group,
        "farmBeatsResourceName": instance,
        "scope:path": scope,
        "resourceProviderNamespace": "Microsoft.AgFoodPlatform",
    }
    return re.sub(r"{([^}]+)}", lambda match: known.get(match[1], "x"), path)


@pytest.mark.parametrize("role", ROLES, ids=lambda role: role.name)
async def test_rights_on_data_are_the_seeds(deployment, role):
    await deployment.ready("own-field", "other-field")
    holder = deployment.register()
    principal = deployment.principal(holder)
    authorizer = RoleAuthorizer(deployment.database)
    names = {f"Microsoft.AgFoodPlatform/farmBeats/{action}": right for action, right in DATA.items()}
    inside, outside = deployment.instance("OWN-field"), deployment.instance("other-field")
    assert not any(authorizer.allows(principal, name, inside) for name in names)
    deployment.assign(holder, role.id, deployment.instance("own-field"))
    allowed = {name for name in names if authorizer.allows(principal, name, inside)}
    assert allowed == {name for name, right in names.items() if right in SEED.get(role.name, set())}
    for place in (outside, deployment.group()):
        assert not any(authorizer.allows(principal, name, place) for name in names)


async def test_administrators_own_their_tenant_and_no_other(deployment):
    await deployment.ready("own-field")
    authorizer = RoleAuthorizer(deployment.database)
    principal = deployment.principal(deployment.administrator)
    for action in (
        "Microsoft.AgFoodPlatform/farmBeats/delete",
        "Microsoft.AgFoodPlatform/farmBeats/parties/delete",
    ):
        assert authorizer.allows(principal, action, deployment.instance("own-field"))
        stranger = Principal(str(uuid.uuid4()), "x", "y", principal.roles)
        assert not authorizer.allows(stranger, action, deployment.instance("own-field"))


async def test_another_process_takes_a_role_away(deployment):
    """Each process has a database of its own, and what it remembered counts no more."""
    from headland.control.rows import assignments
    from headland.database import Database

    await deployment.ready("own-field")
    holder = deployment.register()
    name = deployment.assign(holder, ROLES[4].id, deployment.instance("own-field"))
    elsewhere = Database(deployment.database.url)
    authorizer = RoleAuthorizer(elsewhere)
    action = "Microsoft.AgFoodPlatform/farmBeats/parties/delete"
    try:
        for _ in range(3):
            assert authorizer.allows(deployment.principal(holder), action, deployment.instance("own-field"))
        deployment.database.write_and_wait(lambda connection: assignments.delete(connection, name))
        assert not authorizer.allows(deployment.principal(holder), action, deployment.instance("own-field"))
    finally:
        elsewhere.close()
