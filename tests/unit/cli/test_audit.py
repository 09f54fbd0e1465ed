import json

import httpx


def entry(sequence: int) -> dict:
    return {
        "sequence": sequence,
        "at": "2026-11-20T10:26:06.123Z",
        "action": "application.registered",
        "target": "application/a",
        "tenantId": "t",
        "byClientId": None,
        "source": "192.0.2.1",
        "hash": "0" * 64,
    }


PATH = "/audit/entries"


def test_list_goes_on_until_it_has_enough(headland, stand_in):
    pages = [
        {"entries": [entry(number) for number in range(3000, 2000, -1)], "next": 2001},
        {"entries": [entry(number) for number in range(2000, 1500, -1)], "next": 1501},
    ]
    stand_in.instead["GET", PATH] = [httpx.Response(200, json=page) for page in pages]
    result = headland("audit", "list", "--limit", "1500", "--action", "application.registered", "--json")
    assert len(json.loads(result.stdout)["entries"]) == 1500
    queries = [dict(sent.url.params) for sent in stand_in.requests if sent.url.path == PATH]
    assert queries == [
        {"action": "application.registered", "size": "1000"},
        {"action": "application.registered", "size": "500", "before": "2001"},
    ]


def test_list_as_a_table(headland, stand_in):
    stand_in.instead["GET", PATH] = [httpx.Response(200, json={"entries": [entry(7)], "next": None})]
    result = headland("audit", "list", COLUMNS="120")
    columns = ["7", "2026-11-20", "10:26:06", "application.registered", "application/a", "-", "192.0.2.1"]
    assert result.stdout.splitlines()[1].split() == columns


def test_verify(headland, stand_in):
    good = {"intact": True, "entries": 9, "hash": "a" * 64, "problem": None}
    bad = {"intact": False, "entries": 4, "hash": "a" * 64, "problem": "entry 5 is missing"}
    stand_in.instead["GET", "/audit/verification"] = [httpx.Response(200, json=one) for one in (good, bad)]
    result = headland("audit", "verify", "--expect", f"9:{'a' * 64}")
    assert result.exit_code == 0
    assert result.stdout.splitlines()[-1] == f"9:{'a' * 64}"
    result = headland("audit", "verify")
    assert result.exit_code == 1
    assert "entry 5 is missing" in result.stderr


def test_list_tells_the_job_through_which_it_was_done(headland, stand_in):
    done = {**entry(7), "byClientId": "c", "byJob": "batch/12"}
    stand_in.instead["GET", PATH] = [httpx.Response(200, json={"entries": [done], "next": None})]
    assert " c (batch/12) " in headland("audit", "list", COLUMNS="120").stdout
