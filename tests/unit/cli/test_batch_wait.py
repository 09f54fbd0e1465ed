import json

import httpx
import pytest


def stage(id_=0, completed=0, state="running", name="count at App.scala:12"):
    counts = {"tasks": 10, "completed": completed, "failed": 0, "active": 2}
    return {"id": id_, "attempt": 0, "name": name, "state": state, **counts}


def progress(completed, *stages):
    return {"tasks": 20, "completed": completed, "failed": 0, "active": 2, "stages": list(stages)}


@pytest.mark.parametrize(("end", "code"), [("success", 0), ("dead", 1), ("killed", 3)])
def test_each_end_has_its_exit_code(headland, stand_in, end, code):
    batch = stand_in.add_batch("running")
    stand_in.events = [lambda: batch.update(state=end)]
    result = headland("batch", "wait", "0")
    assert result.exit_code == code
    assert result.stdout == f"Batch 0: {end}.\n"
    assert (f"batch 0 ended {end}; " in result.stderr) == (code != 0)


REASON = (
    "The program raised py4j.protocol.Py4JJavaError: An error occurred while calling o30.csv. Java threw "
    "java.io.IOException: no space left"
)
REPORT = [f"\t diagnostics: {REASON}", "\t ApplicationMaster host: N/A", "\t queue: default"]


@pytest.mark.parametrize("command", [("wait", "0"), ("submit", "wasbs:///app.py", "--follow")])
def test_why_a_batch_is_dead_is_told(headland, stand_in, command):
    if command[0] == "wait":
        stand_in.add_batch("dead", log=[*map(str, range(500)), *REPORT])
    else:

        def die():
            stand_in.logs[0] = REPORT
            stand_in.batches[0].update(state="dead")

        stand_in.events = [die]
    result = headland("batch", *command)
    assert result.exit_code == 1
    told = result.stderr.splitlines()[-1]
    assert told == f"headland: batch 0 ended dead: {REASON}; `headland batch log 0` tells more"


def test_a_log_that_may_not_be_read_hides_no_end(headland, stand_in):
    stand_in.add_batch("dead")
    stand_in.instead["GET", "/livy/batches/0/log"] = [httpx.Response(403, json={"msg": "no"})]
    result = headland("batch", "wait", "0")
    assert result.exit_code == 1
    assert "headland: batch 0 ended dead; `headland batch log 0` tells why" in result.stderr


def test_lines_tell_of_stages_and_tasks_where_there_is_no_terminal(headland, stand_in):
    batch = stand_in.add_batch("starting")

    def run():
        batch["state"] = "running"
        stand_in.progress[0] = progress(3, stage(0, 3))

    def at(completed):
        stand_in.now += 5
        stand_in.progress[0] = progress(completed, stage(0, 10, "complete"), stage(1, completed - 10))

    stand_in.events = [run, lambda: at(11), lambda: at(12), lambda: batch.update(state="success")]
    result = headland("batch", "wait", "0")
    assert result.stderr.splitlines() == [
        "Batch 0: starting",
        "Batch 0: running, 3 of 20 tasks, stage 0 count at App.scala:12 3/10",
        "Batch 0: running, 11 of 20 tasks, stage 1 count at App.scala:12 1/10",
        "Batch 0: running, 12 of 20 tasks, stage 1 count at App.scala:12 2/10",
        "Batch 0: success, 12 of 20 tasks, stage 1 count at App.scala:12 2/10",
    ]


def test_lines_do_not_flood(headland, stand_in):
    batch = stand_in.add_batch("running")
    stand_in.progress[0] = progress(0)
    stand_in.events = [
        *(lambda n=n: stand_in.progress.update({0: progress(n)}) for n in range(60)),
        lambda: batch.update(state="success"),
    ]
    lines = headland("batch", "wait", "0").stderr.splitlines()
    assert 5 <= len(lines) <= 15


def test_bars_on_a_terminal(headland, stand_in):
    batch = stand_in.add_batch("running")
    stand_in.progress[0] = progress(3, stage(0, 3, name="[red]first"))
    stand_in.events = [
        lambda: stand_in.progress.update(
            {0: progress(14, stage(0, 10, "complete"), stage(1, 4, name="second"))}
        ),
        lambda: batch.update(state="success"),
    ]
    result = headland("batch", "wait", "0", FORCE_COLOR="1")
    assert result.exit_code == 0
    assert result.stdout == "Batch 0: success.\n"
    assert "\x1b[" in result.stderr
    assert "Batch 0: success" in result.stderr
    assert "14/20" in result.stderr


def test_quiet_says_nothing_but_ends_alike(headland, stand_in):
    stand_in.add_batch("killed")
    result = headland("batch", "wait", "0", "--quiet")
    assert (result.exit_code, result.stdout) == (3, "")
    assert result.stderr.count("\n") == 1


def test_json_prints_the_ended_batch(headland, stand_in):
    batch = stand_in.add_batch("dead", name="nightly")
    result = headland("batch", "wait", "nightly", "--json")
    assert result.exit_code == 1
    assert json.loads(result.stdout) == batch


def test_a_service_without_progress_tells_the_state(headland, stand_in):
    stand_in.add_batch("success")
    assert headland("batch", "wait", "0").exit_code == 0
    assert stand_in.sent("GET", "/livy/batches/0/progress")
    assert stand_in.sent("GET", "/livy/batches/0/state")


def test_timeout_is_7_and_leaves_the_batch(headland, stand_in):
    stand_in.add_batch("running")
    began = stand_in.now
    result = headland("batch", "wait", "0", "--timeout", "10")
    assert result.exit_code == 7
    assert stand_in.now - began == pytest.approx(10)
    assert result.stderr.splitlines()[-1] == (
        "headland: batch 0 has not ended in 10 seconds, it is running; `headland batch wait 0` waits on"
    )
    assert stand_in.batches[0]["state"] == "running"


def test_timeout_holds_while_the_service_is_away(headland, stand_in):
    stand_in.add_batch("running")
    stand_in.instead["GET", "/livy/batches/0/progress"] = [httpx.ConnectError("refused") for _ in range(99)]
    assert headland("batch", "wait", "0", "--timeout", "10").exit_code == 7


def test_a_service_that_stays_away_is_6_after_five_minutes(headland, stand_in):
    stand_in.add_batch("running")
    stand_in.instead["GET", "/livy/batches/0/progress"] = [httpx.ConnectError("refused") for _ in range(999)]
    began = stand_in.now
    result = headland("batch", "wait", "0")
    assert result.exit_code == 6
    assert 300 <= stand_in.now - began < 310
    assert result.stderr.count("still trying") == 1


def test_what_does_not_pass_ends_the_wait_at_once(headland, stand_in):
    stand_in.add_batch("running")
    stand_in.instead["GET", "/livy/batches/0/progress"] = [httpx.Response(403, json={"msg": "no"})]
    assert headland("batch", "wait", "0").exit_code == 5
    assert not stand_in.sleeps


def test_a_batch_deleted_meanwhile_is_4(headland, stand_in):
    stand_in.add_batch("running")
    stand_in.events = [stand_in.batches.clear]
    assert headland("batch", "wait", "0").exit_code == 4


def test_an_interrupt_leaves_the_batch_running_and_says_so(headland, stand_in):
    batch = stand_in.add_batch("running")

    def interrupt():
        raise KeyboardInterrupt

    stand_in.events = [interrupt]
    result = headland("batch", "wait", "0")
    assert result.exit_code == 130
    assert "interrupted; batch 0 goes on" in result.stderr
    assert batch["state"] == "running"


@pytest.mark.parametrize("timeout", ["0", "-1", "soon"])
def test_a_timeout_is_a_number_of_seconds(headland, timeout):
    assert headland("batch", "wait", "0", "--timeout", timeout).exit_code == 2
