"""A job's code calls farm, storage and control as who submitted it, and nothing else."""

import json
import os
import signal
import socket
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import httpx
import pytest
from tests.instances import READER, Provisioned, provision
from tests.jobs import Application, called, claims_in, claims_of, register, submit
from tests.served.notebooks import Notebook
from tests.serving import APPLICATIONS, Served, eventually, running

pytestmark = pytest.mark.spark

PARTIES = "/farm/meadow/parties?api-version=2022-11-01-preview"
SUBSCRIPTIONS = "/subscriptions?api-version=2020-01-01"


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    served = Served(tmp_path_factory.mktemp("identity") / "my farm ü 100%", jobs_identity_patience="30")
    with running(served):
        yield served


@pytest.fixture(scope="module")
def meadow(served: Served) -> Provisioned:
    made = provision(served)
    # Another, on which the tests' application has no role.
    provision(served, "fen")
    served.public.params = httpx.QueryParams()
    served.authorize()
    return made


@pytest.fixture
def drone(served: Served, meadow: Provisioned) -> Iterator[Application]:
    """An application that may read the instance's data."""
    made = register(served, "Drone")
    with served.client(served.token("https://management.azure.com/.default")) as manager:
        manager.params = httpx.QueryParams({"api-version": "2021-09-01-preview"})
        Provisioned(manager, meadow.id).assign(made.object_id, READER)
    yield made
    made.client.close()


def run(served: Served, client: httpx.Client, *arguments: str, **more: Any) -> int:
    file = served.put(APPLICATIONS / "calls.py", "programs/calls.py")
    return submit(client, file=file, args=[*arguments], **more)


def answered(served: Served, path: str, token: str) -> int:
    with served.client(token) as client:
        return client.get(path).status_code


def token_in(lines: list[str]) -> str | None:
    return next((line.removeprefix("token ") for line in lines if line.startswith("token ")), None)


def test_a_batch_acts_for_its_application_and_nothing_else(served, drone, meadow):
    own = f"{meadow.id}?api-version=2021-09-01-preview"
    closed = ("/identity/applications", "/audit/entries", "/livy/batches", "/livy/sessions")
    batch = run(
        served, drone.client, PARTIES, f"executor:{PARTIES}", "/storage/", SUBSCRIPTIONS, own, *closed
    )
    assert served.wait(batch) == "success", served.lines(batch)
    lines = served.lines(batch)
    assert called(lines) == {
        PARTIES: 200,
        # Workers of a local master have the driver's environment.
        f"executor:{PARTIES}": 200,
        "/storage/": 200,
        SUBSCRIPTIONS: 200,
        # A role on data is none on the instance.
        own: 403,
        **dict.fromkeys(closed, 401),
    }
    assert 'instances ["meadow"]' in lines
    said = claims_in(lines)
    assert (said["oid"], said["azp"]) == (drone.object_id, drone.client_id)
    assert said["act"] == {"sub": f"batch/{batch}"}
    told = [json.loads(line) for line in served.log.read_text().splitlines() if '"event":"request"' in line]
    named = {line["path"] for line in told if line.get("job") == f"batch/{batch}"}
    assert {"/storage/", "/farm/meadow/parties", "/subscriptions"} <= named
    assert all(line["principal"] == drone.client_id for line in told if "job" in line)
    token = token_in(lines) or ""
    eventually(lambda: answered(served, "/storage/", token) == 401, "the token is refused", 2)


def test_an_administrators_job_administers_nobody(served, meadow):
    batch = run(served, served.public, PARTIES, "/identity/applications", "/audit/entries", "/identity/keys")
    assert served.wait(batch) == "success", served.lines(batch)
    lines = served.lines(batch)
    assert called(lines) == {
        PARTIES: 200,
        **dict.fromkeys(("/identity/applications", "/audit/entries", "/identity/keys"), 401),
    }


def test_roles_taken_away_and_a_disabled_application_count_at_once(served, drone, meadow, tmp_path):
    begun, go = tmp_path / "begun", tmp_path / "go"
    batch = run(served, drone.client, f"touch:{begun}", f"wait:{go}", "/storage/")
    eventually(begun.exists, "the batch has begun")
    token = eventually(lambda: token_in(served.lines(batch)), "its token is in its log")
    assert (answered(served, "/storage/", token), answered(served, PARTIES, token)) == (200, 200)
    with served.client(served.token("https://management.azure.com/.default")) as manager:
        manager.params = httpx.QueryParams({"api-version": "2022-04-01"})
        roles = f"{meadow.id}/providers/Microsoft.Authorization/roleAssignments"
        for each in manager.get(roles).raise_for_status().json()["value"]:
            if each["properties"]["principalId"] == drone.object_id:
                manager.delete(each["id"]).raise_for_status()
    # The very same token: a role that was taken away counts at once.
    assert (answered(served, "/storage/", token), answered(served, PARTIES, token)) == (200, 403)
    own = {"Authorization": f"Bearer {served.token(f'{served.url}/.default')}"}
    served.public.patch(drone.path, json={"disabled": True}, headers=own).raise_for_status()
    assert answered(served, "/storage/", token) == 401
    go.touch()
    assert served.wait(batch) == "dead"
    assert any("disabled or deleted" in line for line in served.lines(batch))


def test_what_a_job_changes_is_on_record_with_its_name(served, meadow):
    """A cell of an administrator's tags a group."""
    group = meadow.id.split("/providers")[0]
    notebook = Notebook(served)
    notebook.is_idle()
    program = f"""
import json, os, urllib.parse, urllib.request
def token(resource):
    query = urllib.parse.urlencode({{"resource": resource, "api-version": "2019-08-01"}})
    asked = urllib.request.Request(os.environ["IDENTITY_ENDPOINT"] + "?" + query)
    asked.add_header("X-IDENTITY-HEADER", os.environ["IDENTITY_HEADER"])
    return json.load(urllib.request.urlopen(asked))["access_token"]
mine = token("https://management.azure.com")
asked = urllib.request.Request(os.environ["HEADLAND_URL"] + "{group}?api-version=2021-04-01", method="PATCH")
asked.data = json.dumps({{"tags": {{"by": "a cell"}}}}).encode()
asked.add_header("Authorization", "Bearer " + mine)
asked.add_header("Content-Type", "application/json")
urllib.request.urlopen(asked).status
"""
    assert notebook.text(program) == "200"
    said = claims_of(notebook.text("print(mine)").strip())
    assert said["act"] == {"sub": f"session/{notebook.id}"}
    own = {"Authorization": f"Bearer {served.token(f'{served.url}/.default')}"}
    entry = served.public.get("/audit/entries", params={"size": 1}, headers=own).json()["entries"][0]
    assert entry["byJob"] == f"session/{notebook.id}"
    assert entry["byClientId"] == served.administrator["clientId"]
    verified = served.public.get("/audit/verification", headers=own).json()
    assert verified["intact"], verified
    token = notebook.text("print(mine)").strip()
    assert answered(served, SUBSCRIPTIONS, token) == 200
    served.public.delete(notebook.path)
    eventually(lambda: answered(served, SUBSCRIPTIONS, token) == 401, "the token is refused", 2)


def test_a_token_waits_for_a_service_that_was_killed(served, drone, tmp_path):
    """The runner, and with it the endpoint, outlives the service; so do tokens."""
    begun, go = tmp_path / "begun", tmp_path / "go"
    batch = run(served, drone.client, f"touch:{begun}", f"wait:{go}", PARTIES)
    eventually(begun.exists, "the batch has begun")
    token = eventually(lambda: token_in(served.lines(batch)), "its token is in its log")
    served.kill()
    go.touch()
    served.start()
    assert served.wait(batch) == "success", served.lines(batch)
    assert called(served.lines(batch)) == {PARTIES: 200}
    eventually(lambda: answered(served, "/storage/", token) == 401, "the token is refused", 2)


def test_header_and_key_are_nowhere_but_with_the_job(served, drone, tmp_path):
    begun, go = tmp_path / "begun", tmp_path / "go"
    batch = run(served, drone.client, f"touch:{begun}", f"wait:{go}", "/storage/")
    eventually(begun.exists, "the batch has begun")
    directory = served.run_directory(batch)
    program = int(json.loads((directory / "application.json").read_text())["pid"])
    variables = dict(
        variable.split("=", 1)
        for variable in Path(f"/proc/{program}/environ").read_text().split("\0")
        if "=" in variable
    )
    header, address = variables["IDENTITY_HEADER"], urlsplit(variables["IDENTITY_ENDPOINT"])
    assert address.hostname == "127.0.0.1"
    seen = [file for file in directory.rglob("*") if file.is_file() and header in file.read_text("latin-1")]
    assert not seen
    arguments = [
        text
        for process in Path("/proc").glob("[0-9]*")
        if (text := _read(process / "cmdline")) and (header in text or "token_key" in text)
    ]
    assert not arguments
    assert served.administrator["clientSecret"] not in str(variables)
    go.touch()
    served.wait(batch)
    assert is_closed(address.port or 0)


def is_closed(port: int) -> bool:
    try:
        socket.create_connection(("127.0.0.1", port)).close()
    except ConnectionRefusedError:
        return True
    return False


def test_endpoint_and_token_are_gone_a_second_after_the_program(served, drone, tmp_path):
    """However it ends: here by a signal that it can't see coming."""
    begun = tmp_path / "begun"
    batch = run(served, drone.client, f"touch:{begun}", f"wait:{tmp_path / 'never'}")
    eventually(begun.exists, "the batch has begun")
    token = eventually(lambda: token_in(served.lines(batch)), "its token is in its log")
    program = int(json.loads((served.run_directory(batch) / "application.json").read_text())["pid"])
    variables = Path(f"/proc/{program}/environ").read_text().split("\0")
    (endpoint,) = (each for each in variables if each.startswith("IDENTITY_ENDPOINT="))
    port = urlsplit(endpoint.partition("=")[2]).port or 0
    assert (is_closed(port), answered(served, "/storage/", token)) == (False, 200)
    os.kill(program, signal.SIGKILL)
    eventually(lambda: is_closed(port), "the endpoint is closed", 1)
    eventually(lambda: answered(served, "/storage/", token) == 401, "the token is refused", 1)
    served.wait(batch)


def test_a_token_that_comes_too_late_is_an_error_that_says_so(make_served, tmp_path):
    served = make_served(jobs_identity_patience="1")
    served.start()
    begun, go = tmp_path / "begun", tmp_path / "go"
    batch = run(served, served.public, f"touch:{begun}", f"wait:{go}", "/storage/")
    eventually(begun.exists, "the batch has begun")
    directory = served.run_directory(batch)
    served.kill()
    go.touch()
    eventually((directory / "exit.json").exists, "the batch has given up")
    served.start()
    assert served.wait(batch) == "dead"
    (line,) = (line for line in served.lines(batch) if line.startswith("no token: 503"))
    assert "has not answered for 1 seconds" in line


def _read(file: Path) -> str:
    try:
        return file.read_text("latin-1")
    except OSError:
        return ""


def test_drivers_that_stood_ready_act_for_whoever_took_them(make_served):
    served = make_served(jobs_warm_drivers="1", jobs_warm_sessions="1", server_workers="1")
    served.start()

    def warm() -> bool:
        told = [line for line in served.log.read_text().splitlines() if 'driver.warm"' in line]
        return len(told) >= 2

    eventually(warm, "both drivers stand ready")
    drone = register(served, "Drone")
    served.authorize()
    batch = run(served, drone.client, "/storage/")
    notebook = Notebook(served, drone.client).is_idle()
    told = notebook.text("import os, json; print(sorted(name for name in os.environ if 'IDENTITY' in name))")
    assert told == "['IDENTITY_ENDPOINT', 'IDENTITY_HEADER']"
    asked = """
import urllib.request
query = "?resource=https%3A%2F%2Ffarmbeats.azure.net&api-version=2019-08-01"
request = urllib.request.Request(os.environ["IDENTITY_ENDPOINT"] + query)
request.add_header("X-IDENTITY-HEADER", os.environ["IDENTITY_HEADER"])
print(json.load(urllib.request.urlopen(request))["access_token"])
"""
    said = claims_of(notebook.text(asked).strip())
    assert (said["appid"], said["act"]) == (drone.client_id, {"sub": f"session/{notebook.id}"})
    assert served.wait(batch) == "success", served.lines(batch)
    lines = served.lines(batch)
    assert called(lines) == {"/storage/": 200}
    said = claims_in(lines)
    assert (said["azp"], said["act"]) == (drone.client_id, {"sub": f"batch/{batch}"})
    launched = [line for line in served.log.read_text().splitlines() if "launched" in line]
    assert len(launched) == 2
    assert all('"warm":true' in line.replace(" ", "") for line in launched), launched
    drone.client.delete(notebook.path)
    drone.client.close()
