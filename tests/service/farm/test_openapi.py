"""The description of the API, made from the same declarations that serve."""

import re
from pathlib import Path
from typing import Any

import httpx
import msgspec
import pytest
from tests.service.farm.conftest import Caller

from headland.farm.versions import ALL, Version
from headland.security import Verifier
from headland.server.apis import openapi_document
from headland.server.deployment import Deployment
from headland.server.farm import declared_farm
from headland.settings import Home, Settings

#: Whose documents jobs delete with all that is linked to them.


@pytest.fixture
def document(tmp_path: Path) -> Any:
    deployment = Deployment.of(Home(tmp_path), Settings())
    api = declared_farm(deployment, Verifier([]))
    return msgspec.json.decode(msgspec.json.encode(openapi_document([api])))


def test_what_is_referred_to_is_there(document: Any) -> None:
    text = msgspec.json.encode(document).decode()
    schemas = document["components"]["schemas"]
    assert set(re.findall(r'"#/components/schemas/([^"]+)"', text)) <= set(schemas)
    assert "partyId" in schemas["Farm"]["properties"]
    assert "farmerId" not in schemas["Farm"]["properties"]


def test_names_of_operations_are_unique(document: Any) -> None:
    names = [entry["operationId"] for path in document["paths"].values() for entry in path.values()]
    assert len(names) == len(set(names)) > 80


def test_filters_are_those_of_the_version(document: Any) -> None:
    listed = document["paths"]["/farm/{instance}/seasonal-fields"]["get"]["parameters"]
    names = {parameter["name"] for parameter in listed if parameter["in"] == "query"}
    assert names == {
        "api-version",
        *("ids", "names", "propertyFilters", "statuses"),
        *("minCreatedDateTime", "maxCreatedDateTime", "minLastModifiedDateTime", "maxLastModifiedDateTime"),
        *("farmIds", "fieldIds", "seasonIds", "cropProductIds", "cropIds"),
        *("maxPageSize", "skipToken"),
    }


@pytest.mark.anyio
@pytest.mark.parametrize("version", sorted(ALL), ids=lambda version: version.name)
async def test_an_instance_publishes_each_version(client: httpx.AsyncClient, version: Version) -> None:
    for base in ("https://headland.example:8443/farm/meadow", "https://meadow.farms.example"):
        answer = await client.get(f"{base}/openapi.json", params={"api-version": version})
        assert answer.status_code == 200
        document = answer.json()
        assert document["info"]["version"] == version
        port = "" if base.endswith("/farm/meadow") else ":8443"
        assert document["servers"] == [{"url": f"{base}{port}"}]
        parties = "/farmers" if version.name in "AB" else "/parties"
        assert {parties, "/openapi.json"} <= document["paths"].keys()
        text = msgspec.json.encode(document).decode()
        assert (
            set(re.findall(r'"#/components/schemas/([^"]+)"', text))
            <= document["components"]["schemas"].keys()
        )
        parameters = document["paths"][parties]["get"]["parameters"]
        assert {"name": "api-version", "enum": [version]}.items() <= {
            "name": parameters[0]["name"],
            "enum": parameters[0]["schema"].get("enum", [parameters[0]["schema"].get("const")]),
        }.items()


@pytest.mark.anyio
async def test_the_description_needs_a_version(client: httpx.AsyncClient) -> None:
    answer = await client.get("https://headland.example:8443/farm/meadow/openapi.json")
    assert (answer.status_code, answer.json()["error"]["code"]) == (400, "MissingApiVersionParameter")


@pytest.mark.anyio
async def test_parameters_of_tiles_are_numbers(admin: Caller) -> None:
    published = (await admin("GET", "/openapi.json")).json()
    asked = published["paths"]["/tiles/boundaries/{zoom}/{column}/{row}"]["get"]["parameters"]
    schemas = {each["name"]: each["schema"] for each in asked if each["in"] == "path"}
    assert schemas["zoom"] == {"type": "integer", "minimum": 0, "maximum": 16}
    assert schemas["column"] == schemas["row"] == {"type": "integer", "minimum": 0, "maximum": 65535}
