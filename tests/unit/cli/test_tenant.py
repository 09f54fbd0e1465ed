import json

import httpx

TENANT = {
    "tenantId": "3f2504e0-4f89-41d3-9a0c-0305e82c3301",
    "name": "Orchard Co-op",
    "createdAt": "2028-11-20T10:26:06.123456Z",
    "createdBy": "object-1",
}
RECORD = [
    "Directory (tenant) ID  3f2504e0-4f89-41d3-9a0c-0305e82c3301",
    "Name                   Orchard Co-op",
    "Created (UTC)          2028-11-20 10:26:06",
    "Created by             object-1",
]
ONE = "/identity/tenants/Orchard%20Co-op"


def test_create(headland, stand_in):
    stand_in.instead["POST", "/identity/tenants"] = [httpx.Response(201, json=TENANT) for _ in range(2)]
    result = headland("tenant", "create", "Orchard Co-op")
    assert result.stdout.splitlines() == RECORD
    (sent,) = stand_in.sent("POST", "/identity/tenants")
    assert json.loads(sent.content) == {"name": "Orchard Co-op"}
    assert json.loads(headland("tenant", "create", "x", "--json").stdout) == TENANT


def test_list(headland, stand_in):
    stand_in.instead["GET", "/identity/tenants"] = [
        httpx.Response(200, json={"tenants": [TENANT]}) for _ in range(2)
    ]
    result = headland("tenant", "list")
    assert [line.split() for line in result.stdout.splitlines()] == [
        ["Tenant", "id", "Name", "Created", "(UTC)"],
        [TENANT["tenantId"], "Orchard", "Co-op", "2028-11-20", "10:26:06"],
    ]
    assert json.loads(headland("tenant", "list", "--json").stdout) == {"tenants": [TENANT]}


def test_show_rename_and_delete(headland, stand_in):
    stand_in.instead["GET", ONE] = [httpx.Response(200, json=TENANT)]
    assert headland("tenant", "show", "Orchard Co-op").stdout.splitlines() == RECORD
    stand_in.instead["PATCH", ONE] = [httpx.Response(200, json={**TENANT, "name": "Garden"})]
    renamed = headland("tenant", "rename", "Orchard Co-op", "Garden")
    assert "Name                   Garden" in renamed.stdout
    (sent,) = stand_in.sent("PATCH", ONE)
    assert json.loads(sent.content) == {"name": "Garden"}
    stand_in.instead["DELETE", ONE] = [httpx.Response(204), httpx.Response(204)]
    assert headland("tenant", "delete", "Orchard Co-op").stdout == "Tenant Orchard Co-op: deleted.\n"
    assert headland("tenant", "delete", "Orchard Co-op", "--quiet").output == ""


def test_refusals(headland, stand_in):
    for command in (["show"], ["rename"], ["delete"]):
        result = headland("tenant", *command, "a/b", *(["x"] if command == ["rename"] else []))
        assert result.exit_code == 4, command
        assert result.stderr == (
            "headland: there is no tenant 'a/b'; `headland tenant list` shows those there are\n"
        )
    stand_in.instead["DELETE", ONE] = [httpx.Response(409, json={"msg": "The tenant is not empty; …"})]
    full = headland("tenant", "delete", "Orchard Co-op")
    assert full.exit_code == 1
    assert "The tenant is not empty" in full.stderr


def test_too_many_failed_attempts_are_told_with_the_time_to_wait(headland, stand_in):
    body = {"error": "temporarily_unavailable", "error_description": "AADSTS90055: Too many. Trace ID: 1"}
    stand_in.instead["POST", "/farm/oauth2/v2.0/token"] = [
        httpx.Response(429, json=body, headers={"Retry-After": "7"})
    ]
    result = headland("tenant", "list")
    assert result.exit_code == 5
    assert "AADSTS90055: Too many" in result.stderr
    assert "try again in 7 s" in result.stderr
