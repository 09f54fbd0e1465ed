"""The commands, on the real services in this process."""

import asyncio
import json
from concurrent.futures import ThreadPoolExecutor

import httpx
import pytest
from click.testing import CliRunner
from structlog.testing import capture_logs

from headland.cli.main import cli
from headland.cli.surroundings import Surroundings
from headland.control import control_app
from headland.http.listener import Listener
from headland.identity import AdminService, applications, identity_admin_app, identity_app
from headland.security import Guard

URL = "https://headland.test:8443"


class InProcess(httpx.BaseTransport):
    """Carries a synchronous client's requests to the listener."""

    def __init__(self, listener) -> None:
        self._transport = httpx.ASGITransport(listener)

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        request.read()
        return asyncio.run(self._answer(request))

    async def _answer(self, request: httpx.Request) -> httpx.Response:
        answer = await self._transport.handle_async_request(request)
        content = b"".join([chunk async for chunk in answer.stream])
        return httpx.Response(answer.status_code, headers=answer.headers, content=content)


@pytest.fixture
async def headland(deployment, tmp_path, monkeypatch):
    """`headland ARGUMENTS` as the administrator, or as another application."""
    for name in ("XDG_CACHE_HOME", "XDG_CONFIG_HOME", "HEADLAND_HOME"):
        monkeypatch.setenv(name, str(tmp_path / name))
    service = deployment.service
    own = Guard(service.guard.verifier, frozenset({URL}))
    admin = identity_admin_app(
        AdminService(deployment.database, service.settings, own, clock=deployment.clock)
    )
    tokens = identity_app(deployment.database, service.settings, deployment.issuer, deployment.clock)
    listener = Listener("public", {"/identity": admin}, [control_app(service), tokens], tls=True)

    def secret(application) -> str:
        return deployment.database.write_and_wait(
            lambda connection: applications.add_secret(
                connection,
                deployment.tenant,
                application.client_id,
                name=None,
                lifetime_days=7,
                now=int(deployment.clock() * 1000),
            )
        ).value

    def run(*arguments: str, who=None, stdin: str | None = None):
        application = who or deployment.administrator
        variables = {
            "HEADLAND_URL": URL,
            "HEADLAND_TENANT": deployment.tenant,
            "HEADLAND_CLIENT_ID": application.client_id,
            "HEADLAND_CLIENT_SECRET": secret(application),
        }
        surroundings = Surroundings(InProcess(listener), now=deployment.clock, sleep=_work(deployment))
        # The commands run their own event loop, and this test has one already.
        return thread.submit(
            lambda: CliRunner().invoke(cli, arguments, obj=surroundings, env=variables, input=stdin)
        ).result(60)

    # What the services log would go where the commands print.
    with capture_logs(), ThreadPoolExecutor(1) as thread:
        yield run


def _work(deployment):
    def sleep(_seconds: float) -> None:
        deployment.deployer.work()

    return sleep


pytestmark = pytest.mark.anyio


async def test_from_provider_to_deletion(deployment, headland):
    assert headland("subscription", "list").stdout.split()[4:] == [
        deployment.subscription,
        "Meadow",
        "Enabled",
    ]
    assert headland("provider", "register").stdout == "Microsoft.AgFoodPlatform: Registered.\n"
    assert "Registered" in headland("provider", "show").stdout
    assert "Microsoft.AgFoodPlatform" in headland("provider", "list").stdout
    made = headland("group", "create", "meadow", "--location", "westeurope", "--tag", "a=b")
    assert made.stdout == "Group meadow: Succeeded.\n", made.output
    assert headland("group", "list").stdout.split()[4:] == ["meadow", "westeurope", "Succeeded", "a=b"]
    assert headland("instance", "check-name", "north").stdout == "north: free.\n"
    create = ("instance", "create", "north", "--group", "meadow", "--location", "westeurope")
    no = headland(*create, stdin="n\n")
    assert no.exit_code != 0
    assert "Instance URI" in no.stdout
    assert "accepted" in no.stdout
    assert headland("instance", "list", "--json").stdout.count('"north"') == 0
    yes = headland(*create, "--yes", "--tag", "crop=rye")
    assert yes.exit_code == 0, yes.output
    assert "Succeeded" in yes.stdout
    taken = headland("instance", "check-name", "north")
    assert (taken.exit_code, taken.stderr) == (
        1,
        "headland: An account named 'north' is already in use; choose another name\n",
    )
    assert "crop=rye" in headland("instance", "show", "north", "--group", "meadow").stdout
    assert (
        json.loads(headland("instance", "show", "north", "--group", "meadow", "--json").stdout)["name"]
        == "north"
    )
    assert headland("instance", "update", "north", "--group", "meadow", "--tag", "x=y").stdout == (
        "Instance north: x=y.\n"
    )
    hidden = headland("group", "resources", "meadow")
    assert "north" not in hidden.stdout
    assert "1 of hidden types; --show-hidden-types shows them" in hidden.stderr
    assert "north" in headland("group", "resources", "meadow", "--show-hidden-types").stdout
    gone = headland("instance", "delete", "north", "--group", "meadow", "--yes")
    assert gone.stdout == "Instance north: deleted.\n"
    missing = headland("instance", "delete", "north", "--group", "meadow", "--yes")
    assert (missing.exit_code, missing.stderr) == (
        4,
        "headland: there is no instance 'north' in group 'meadow'; `headland instance list` shows those there are\n",
    )
    headland(*create, "--yes", "--no-wait")
    assert headland("group", "delete", "meadow", stdin="n\n").exit_code != 0
    deleted = headland("group", "delete", "meadow", "--yes")
    assert deleted.stdout == "Group meadow: deleted.\n", deleted.output
    assert headland("group", "show", "meadow").exit_code == 4
    assert headland("provider", "unregister").stdout == "Microsoft.AgFoodPlatform: NotRegistered.\n"


async def test_an_instance_is_all_there_is_to_ask_for(deployment, headland):
    assert "NotRegistered" in headland("provider", "show").stdout
    create = ("instance", "create", "north", "--group", "meadow", "--location", "westeurope")
    made = headland(*create, "--create-group", "--accept-terms", "--yes")
    assert made.exit_code == 0, made.output
    assert "Microsoft.AgFoodPlatform: Registered" in headland("provider", "show").stdout


async def test_refusals_name_the_command_that_helps(deployment, headland):
    create = ("instance", "create", "north", "--group", "meadow", "--location", "westeurope", "--yes")
    no_group = headland(*create)
    assert (no_group.exit_code, "`headland group create` makes it" in no_group.stderr) == (4, True)
    headland("group", "create", "meadow", "--location", "westeurope")
    headland("provider", "unregister")
    drone = deployment.register("Drone")
    headland("role", "assign", "b24988ac-6180-42a0-ab88-20f7382dd24c", drone.object_id, "--group", "meadow")
    own = ("--subscription", deployment.subscription)
    unregistered = headland(*create, "--accept-terms", *own, who=drone)
    assert unregistered.exit_code in (1, 5)
    assert "`headland provider register` registers it, by an Owner" in unregistered.stderr, (
        unregistered.stderr
    )
    strange = "11111111-2222-3333-4444-555555555555"
    for arguments, text in (
        (("group", "show", "meadow", "--subscription", strange), "there is no group"),
        (("group", "list", "--subscription", strange), "`headland subscription request` asks for one"),
        (("role", "assign", strange, drone.client_id), "`headland role definitions`"),
        (("role", "assign", "Owner", strange), "`headland app list`"),
        (("group", "create", "other", "--location", "moon"), "`headland provider show` has the regions"),
        ((*create[:-2], "moon", "--yes"), "`headland provider show` has the regions"),
    ):
        refused = headland(*arguments)
        assert refused.exit_code != 0
        assert text in refused.stderr, refused.stderr
    for arguments in (("group", "create", "other", "--location", "westeurope"), ("provider", "register")):
        refused = headland(*arguments, *own, who=drone)
        assert (refused.exit_code, "`headland role assign`" in refused.stderr) == (5, True), refused.stderr
    headland("provider", "register")
    object.__setattr__(deployment.service, "terms", type(deployment.service.terms)("2", "Other terms."))
    unaccepted = headland(*create, *own, who=drone)
    assert "`headland subscription accept-terms` accepts them" in unaccepted.stderr, unaccepted.stderr
    headland("subscription", "accept-terms", "--yes")
    made = headland(*create, *own, who=drone)
    assert made.exit_code == 0, made.output
    in_use = headland("provider", "unregister")
    assert "`headland instance delete`" in in_use.stderr, in_use.stderr


async def test_roles(deployment, headland):
    await deployment.ready("north")
    drone = deployment.register("Drone")
    where = ("--group", "meadow", "--instance", "north")
    given = headland("role", "assign", "reader", drone.client_id, *where)
    assert given.stdout.startswith("AgFood Platform Service Reader given to "), given.output
    second = headland("role", "assign", "contributor", drone.object_id, *where)
    assert second.exit_code == 1
    assert "already has the role 'AgFood Platform Service Reader'" in second.stderr
    listed = json.loads(headland("role", "list", *where, "--json").stdout)["value"]
    (own,) = [item for item in listed if item["properties"]["principalId"] == drone.object_id]
    assert "Drone" not in headland("role", "list").output
    assert (
        headland("role", "remove", own["name"], *where).stdout == f"Role assignment {own['name']}: removed.\n"
    )
    assert headland("role", "remove", own["name"], *where).exit_code == 4
    assert "Owner" in headland("role", "definitions").stdout
    assert headland("role", "assign", "farmer", drone.client_id).exit_code == 4
    assert headland("role", "list", "--instance", "north").exit_code == 2
    refused = headland("group", "list", who=drone)
    assert refused.exit_code == 5
    assert "no subscription is open to you" in refused.stderr


async def test_access_and_terms(deployment, headland):
    hill = deployment.register("Hill")
    no = headland("subscription", "request", "Hill Farm", "--reason", "Maps", who=hill, stdin="n\n")
    assert "stays yours" in no.stdout
    asked = headland(
        "subscription", "request", "Hill Farm", "--reason", "Maps", "--accept-terms", "-q", who=hill
    )
    id_ = asked.stdout.strip()
    assert id_ in headland("subscription", "requests").stdout
    denied = headland("subscription", "approve", id_, who=hill)
    assert denied.exit_code == 5
    assert headland("subscription", "approve", id_).stdout == f"Request {id_}: Approved.\n"
    assert headland("subscription", "refuse", id_).exit_code == 1
    assert "Hill Farm" in headland("subscription", "list", who=hill).stdout
    several = headland("group", "list")
    assert several.exit_code == 2
    assert "several subscriptions are open to you" in several.stderr
    named = headland("group", "list", "--subscription", deployment.subscription)
    assert named.exit_code == 0
    terms = headland("subscription", "terms")
    assert f"Version {deployment.service.terms.version}" in terms.stdout
    accepted = headland("subscription", "accept-terms", "--yes", "--subscription", deployment.subscription)
    assert accepted.stdout == f"Terms {deployment.service.terms.version}: accepted.\n"
    own = headland("subscription", "list", "--json", who=hill).stdout
    hills = json.loads(own)["value"][0]["subscriptionId"]
    assert headland("subscription", "remove", hills, who=hill).exit_code == 5
    assert headland("subscription", "remove", hills).stdout == f"Subscription {hills}: removed.\n"
    assert headland("subscription", "remove", hills).exit_code == 4


async def test_terms_are_asked_for_on_the_way(deployment, headland):
    await deployment.ready()
    object.__setattr__(deployment.service, "terms", type(deployment.service.terms)("2", "Other terms."))
    create = ("instance", "create", "north", "--group", "meadow", "--location", "westeurope", "--yes")
    no = headland(*create, stdin="n\n")
    assert no.exit_code != 0
    assert "Other terms." in no.stdout
    assert headland(*create, "--accept-terms", "-q").exit_code == 0


async def test_a_failure_is_told_with_its_reason(deployment, headland):
    await deployment.ready()
    deployment.stores.problem = OSError(28, "No space left on device")
    failed = headland("instance", "create", "north", "--group", "meadow", "--location", "westeurope", "--yes")
    assert (failed.exit_code, failed.stderr) == (
        1,
        "headland: instance north could not be deployed: No space left on device; the same command tries again\n",
    )
