import json

import httpx


def test_list(headland, stand_in):
    stand_in.add_batch("success")
    stand_in.add_batch("running", name="nightly")
    result = headland("batch", "list")
    assert result.exit_code == 0
    lines = [line.split() for line in result.stdout.splitlines()]
    assert lines == [
        ["Id", "Name", "State", "Owner", "Application"],
        ["0", "-", "success", "client-1", "-"],
        ["1", "nightly", "running", "client-1", "-"],
    ]
    assert result.stderr == ""
    assert json.loads(headland("batch", "list", "--json").stdout) == {
        "from": 0,
        "total": 2,
        "sessions": list(stand_in.batches.values()),
    }


def test_list_shows_the_newest_unless_told_otherwise(headland, stand_in):
    for _ in range(250):
        stand_in.add_batch("success")

    def ids(*arguments):
        return [
            batch["id"]
            for batch in json.loads(headland("batch", "list", *arguments, "--json").stdout)["sessions"]
        ]

    assert ids() == list(range(230, 250))
    assert ids("--size", "3") == [247, 248, 249]
    assert ids("--from", "5", "--size", "2") == [5, 6]
    assert ids("--all") == list(range(250))
    assert headland("batch", "list").stderr == "231 to 250 of 250; --from, --size and --all show others.\n"


def test_list_shows_what_is_asked_for(headland, stand_in):
    for state, name in (
        ("success", "a"),
        ("running", "a"),
        ("dead", "b"),
        ("running", "b"),
        ("killed", None),
    ):
        stand_in.add_batch(state, name=name)
    stand_in.batches[3]["owner"] = "client-2"

    def ids(*arguments):
        document = json.loads(headland("batch", "list", *arguments, "--json").stdout)
        assert document["total"] >= len(document["sessions"])
        return [batch["id"] for batch in document["sessions"]]

    assert ids("--newest-first") == [4, 3, 2, 1, 0]
    assert ids("--newest-first", "--size", "2") == [4, 3]
    assert ids("--newest-first", "--from", "2", "--size", "2") == [2, 1]
    assert ids("--newest-first", "--all") == [4, 3, 2, 1, 0]
    assert ids("--state", "running", "--state", "dead") == [1, 2, 3]
    assert ids("--state", "running", "--size", "1") == [3]
    assert ids("--name", "a") == [0, 1]
    assert ids("--owner", "client-2", "--all") == [3]
    assert ids("--owner", "client-1", "--name", "b") == [2]


def test_a_plain_list_asks_for_nothing_that_livy_does_not_know(headland, stand_in):
    headland("batch", "list")
    assert set(stand_in.requests[-1].url.params) == {"from", "size"}


def test_a_state_that_there_is_not_reaches_no_service(headland, stand_in):
    assert headland("batch", "list", "--state", "idle").exit_code == 2
    assert not stand_in.requests


def test_a_batch_deleted_while_the_pages_are_read_makes_none_appear_twice(headland, stand_in):
    for _ in range(150):
        stand_in.add_batch("success")
    page = {"from": 100, "total": 150, "sessions": [stand_in.batches[99], stand_in.batches[149]]}
    first = {"from": 0, "total": 150, "sessions": list(stand_in.batches.values())[:100]}
    last = {"from": 102, "total": 102, "sessions": []}
    stand_in.instead["GET", "/livy/batches"] = [httpx.Response(200, json=p) for p in (first, page, last)]
    found = json.loads(headland("batch", "list", "--all", "--json").stdout)
    assert [batch["id"] for batch in found["sessions"]] == [*range(100), 149]
    assert found["total"] == 101


def test_a_table_fits_a_terminal_of_80_columns_and_loses_nothing(headland, stand_in):
    stand_in.add_batch("running", name="n" * 100)["appId"] = "application_1700000000000_0001"
    result = headland("batch", "list", FORCE_COLOR="1", TERM="dumb")
    assert all(len(line) <= 80 for line in result.stdout.splitlines())
    assert result.stdout.count("n") - result.stdout.splitlines()[1].count("running") * 2 >= 100
    assert "\x1b" not in result.stdout


def test_names_are_neither_markup_nor_steering(headland, stand_in):
    stand_in.add_batch("running", name="[red]\x1b[31mx")
    assert "[red]\N{REPLACEMENT CHARACTER}[31mx" in headland("batch", "list").stdout


def test_show(headland, stand_in):
    batch = stand_in.add_batch("running", name="nightly")
    batch["appInfo"]["sparkUiUrl"] = "http://host:4040"
    batch["log"] = ["stdout: ", "\nstderr: ", "a line"]
    for reference in ("0", "nightly"):
        result = headland("batch", "show", reference)
        assert result.exit_code == 0
        shown = dict(
            line.split(maxsplit=1) for line in result.stdout.splitlines() if line.startswith(("Id", "State"))
        )
        assert shown == {"Id": "0", "State": "running"}
        assert "Spark UI       http://host:4040\n" in result.stdout
        assert result.stdout.endswith("End of the log:\n  stdout:\n  stderr:\n  a line\n")
    assert json.loads(headland("batch", "show", "--json", "0").stdout) == batch


def test_kill_keeps_the_record(headland, stand_in):
    batch = stand_in.add_batch("running")
    assert headland("batch", "kill", "0").stdout == "Batch 0: killed.\n"
    assert batch["state"] == "killed"
    assert json.loads(headland("batch", "kill", "0", "--json").stdout) == {"msg": "killed"}
    assert headland("batch", "kill", "0", "--quiet").output == ""


def test_delete_removes_it(headland, stand_in):
    for _ in range(3):
        stand_in.add_batch("running")
    assert headland("batch", "delete", "0").stdout == "Batch 0: deleted.\n"
    assert json.loads(headland("batch", "delete", "1", "--json").stdout) == {"msg": "deleted"}
    assert headland("batch", "delete", "2", "-q").output == ""
    assert not stand_in.batches


def test_one_that_is_not_there_is_4(headland):
    for command in (["show"], ["kill"], ["delete"], ["log"], ["log", "-f"], ["wait"]):
        result = headland("batch", *command, "a/b")
        assert result.exit_code == 4, command
        assert result.stderr == (
            "headland: there is no batch 'a/b'; `headland batch list` shows those there are\n"
        )


def test_a_name_is_one_segment_of_the_path(headland, stand_in):
    headland("batch", "show", "a/../b ?#")
    assert stand_in.requests[-1].url.raw_path == b"/livy/batches/a%2F..%2Fb%20%3F%23"
