"""schemathesis reads what the service says of itself, makes requests of it, good ones and bad ones, and holds the
answers against it: no server error, and no status, content type or body that is not declared.

Each version is asked for what it has and no other that was tried before it. `SCHEMATHESIS_EXAMPLES` has everything
asked of all of them, more requests made than fit into every run of the tests, and its coverage phase, too.
"""

import json
import os
import ssl
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from tests.clients.farm.conftest import HERE, Reached
from tests.clients.peers import is_missing

from headland.farm.versions import Version

EXAMPLES = int(os.environ.get("SCHEMATHESIS_EXAMPLES", "0"))
CHECKS = (
    "not_a_server_error",
    "status_code_conformance",
    "content_type_conformance",
    "response_schema_conformance",
)
#: The version that the public SDKs speak, tried more than the others.
VERSION = "2022-11-01-preview"

#: What stands in paths, where anything else would lead nowhere.
PLACES = {
    "partyId": "elm",
    "farmerId": "elm",
    "resourceType": "Party",
    "resourceId": "elm",
    "zoom": "0",
    "column": "0",
    "row": "0",
}


@pytest.fixture(scope="module")
def client(reached: Reached) -> Iterator[httpx.Client]:
    """With an administrator's token, below the instance's address. `elm` is there, and can't be deleted."""
    tls = ssl.create_default_context(cafile=str(reached.ca))
    client_id, secret = reached.applications["admin"]
    form = {
        "grant_type": "client_credentials",
        "client_id": client_id,
        "client_secret": secret,
        "scope": "https://farmbeats.azure.net/.default",
    }
    answer = httpx.post(f"{reached.authority}/{reached.tenant}/oauth2/v2.0/token", data=form, verify=tls)
    headers = {"Authorization": f"Bearer {answer.raise_for_status().json()['access_token']}"}
    asked = {"api-version": VERSION}
    with httpx.Client(base_url=reached.uri, headers=headers, params=asked, verify=tls) as client:
        for path in ("/parties/elm", "/parties/elm/farms/north"):
            client.patch(path, json={}).raise_for_status()
        yield client


def described(client: httpx.Client, version: str) -> dict[str, Any]:
    """What the instance publishes of itself in one version."""
    answer = client.get("/openapi.json", params={"api-version": version})
    document: dict[str, Any] = answer.raise_for_status().json()
    for entry in document["paths"].values():
        for operation in entry.values():
            for each in operation["parameters"]:
                if each["in"] == "path" and each["name"] in PLACES:
                    each["schema"] = {"const": PLACES[each["name"]]}
    return document


def resolved(part: Any, document: dict[str, Any], above: tuple[str, ...] = ()) -> Any:
    """A part of a description with what its references lead to in their place, but for a part within itself."""
    if isinstance(part, list):
        return [resolved(each, document, above) for each in part]
    if not isinstance(part, dict):
        return part
    name = part.get("$ref", "").rpartition("/")[2]
    if not name:
        return {key: resolved(value, document, above) for key, value in part.items()}
    schema = document["components"]["schemas"][name]
    return name if name in above else resolved(schema, document, (*above, name))


def without_known(document: dict[str, Any], known: set[str]) -> None:
    """Take out the operations that are the same in a version that came before, and get to know the others."""
    for path, entry in list(document["paths"].items()):
        for method, operation in list(entry.items()):
            asked = [each for each in operation["parameters"] if each["name"] != "api-version"]
            said = json.dumps([path, method, resolved({**operation, "parameters": asked}, document)])
            if said in known:
                del entry[method]
            known.add(said)
        if not entry:
            del document["paths"][path]


@pytest.fixture(scope="module")
def known() -> set[str]:
    """Operations of the versions that were tried."""
    return set()


@pytest.mark.timeout(3600 if EXAMPLES else 600)
@pytest.mark.parametrize("version", [VERSION, *(each for each in Version if each != VERSION)])
def test_a_version(
    client: httpx.Client, reached: Reached, tmp_path: Path, version: str, known: set[str]
) -> None:
    program = HERE / ".environments/schemathesis/bin/schemathesis"
    if not program.exists():
        is_missing("schemathesis is not installed: run `make clients`")
    document = described(client, version)
    assert len(document["paths"]) > 30
    if not EXAMPLES:
        without_known(document, known)
        if not document["paths"]:
            # Two versions differ in operations of which none is served yet.
            return
    file = tmp_path / "openapi.json"
    file.write_text(json.dumps(document))
    phases = "coverage,fuzzing" if EXAMPLES else "fuzzing"
    command = [program, "--no-color", "run", file, "--url", reached.uri, "--tls-verify", reached.ca]
    command += ["--header", f"Authorization: {client.headers['Authorization']}", "--checks", ",".join(CHECKS)]
    command += [
        "--max-examples",
        str(EXAMPLES or (6 if version == VERSION else 1)),
        "--phases",
        phases,
        "--seed",
        "1",
        "--continue-on-failure",
    ]
    command += ["--suppress-health-check", "all", "--warnings", "off", "--request-timeout", "30"]
    ended = subprocess.run(
        list(map(str, command)),
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(HERE / "drivers"), "SCHEMATHESIS_HOOKS": "lines"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert ended.returncode == 0, ended.stdout[-20_000:] + ended.stderr[-2_000:]
    assert f"Tested: {sum(map(len, document['paths'].values()))}" in ended.stdout
