import json

import httpx

KEY = {
    "kid": "k" * 43,
    "state": "pending",
    "createdAt": "2026-11-20T10:26:06.123Z",
    "activatesAt": "2026-11-21T10:26:06.123Z",
    "publishedUntil": None,
}
OLD = {**KEY, "kid": "o" * 43, "state": "retired", "publishedUntil": "2026-11-22T10:26:06Z"}
PATH = "/identity/keys"


def test_list(headland, stand_in):
    stand_in.instead["GET", PATH] = [httpx.Response(200, json={"keys": [KEY, OLD]})] * 2
    result = headland("key", "list", COLUMNS="120")
    assert [line.split()[:2] for line in result.stdout.splitlines()[1:]] == [
        [KEY["kid"], "pending"],
        [OLD["kid"], "retired"],
    ]
    assert "2026-11-21 10:26:06" in result.stdout
    assert json.loads(headland("key", "list", "--json").stdout) == {"keys": [KEY, OLD]}


def test_rotate(headland, stand_in):
    stand_in.instead["POST", PATH] = [httpx.Response(201, json=KEY)] * 2
    result = headland("key", "rotate")
    assert result.exit_code == 0
    assert result.stdout.splitlines() == [
        f"Key id            {KEY['kid']}",
        "State             pending",
        "Signs from (UTC)  2026-11-21 10:26:06",
    ]
    headland("key", "rotate", "--after", "90")
    assert [json.loads(sent.content) for sent in stand_in.sent("POST", PATH)] == [{}, {"activateAfter": 90.0}]


def test_a_refused_rotation_says_why(headland, stand_in):
    stand_in.instead["POST", PATH] = [httpx.Response(409, json={"msg": "Key x is published already"})]
    result = headland("key", "rotate")
    assert result.exit_code == 1
    assert "Key x is published already" in result.stderr


def test_a_private_listener_has_no_keys(headland):
    result = headland("key", "list", HEADLAND_URL="http://headland.example:8998")
    assert result.exit_code == 2
    assert "no signing keys" in result.stderr
