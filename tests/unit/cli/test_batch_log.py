import json

import httpx
import pytest

LINES = ["stdout: ", *(f"line {number}" for number in range(1, 2500)), "\nstderr: ", "the end"]


def as_printed(lines):
    return "".join(f"{line}\n" for line in lines)


@pytest.mark.parametrize("page", [7, 1000, 10_000])
def test_the_whole_log_whatever_the_size_of_its_pages(headland, stand_in, page):
    stand_in.add_batch("success", log=LINES)
    stand_in.page = page
    assert headland("batch", "log", "0").stdout == as_printed(LINES)


@pytest.mark.parametrize(
    ("arguments", "lines"),
    [
        (["--from", "3", "--size", "2"], LINES[3:5]),
        (["--from", "2499"], LINES[2499:]),
        (["--from", "9999"], []),
        (["--size", "0"], []),
        (["--size", "1500"], LINES[:1500]),
        (["--tail", "3"], LINES[-3:]),
        (["--tail", "0"], []),
        (["--tail", "9999"], LINES),
    ],
)
def test_parts_of_it(headland, stand_in, arguments, lines):
    stand_in.add_batch("success", log=LINES)
    result = headland("batch", "log", "0", *arguments)
    assert result.exit_code == 0
    assert result.stdout == as_printed(lines)
    document = json.loads(headland("batch", "log", "0", *arguments, "--json").stdout)
    assert document["log"] == lines
    assert document["total"] == len(LINES)
    assert document["id"] == 0


@pytest.mark.parametrize(
    "arguments", [["--tail", "1", "--from", "1"], ["-f", "--json"], ["-f", "--size", "1"], ["--tail", "-1"]]
)
def test_options_that_exclude_each_other(headland, arguments):
    assert headland("batch", "log", "0", *arguments).exit_code == 2


@pytest.fixture(params=[False, True], ids=["pages", "events"])
def offers(request, stand_in):
    """Both services: one that offers events, and one that does not."""
    stand_in.offers_events = request.param


@pytest.mark.usefixtures("offers")
@pytest.mark.parametrize("page", [1, 3, 1000])
def test_following_loses_and_repeats_no_line(headland, stand_in, page):
    batch = stand_in.add_batch("starting")
    stand_in.page = page
    lines = ["stdout: ", *(f"line {number}" for number in range(200)), "\nstderr: ", "report 1", "report 2"]
    grown = iter(lines)

    def grow(by):
        stand_in.logs[0].extend(line for _, line in zip(range(by), grown, strict=False))

    def end():
        stand_in.logs[0].extend(grown)
        batch["state"] = "success"

    stand_in.events = [lambda by=by: grow(by) for by in (0, 1, 0, 5, 50, 0, 0, 20, 1)] + [end]
    result = headland("batch", "log", "0", "--follow")
    assert result.exit_code == 0
    assert result.stdout == as_printed(lines)


def test_lines_written_just_before_the_end_are_not_lost(headland, stand_in):
    batch = stand_in.add_batch("running", log=["stdout: "])

    def end():
        stand_in.logs[0].append("written late")
        batch["state"] = "success"

    stand_in.instead["GET", "/livy/batches/0/state"] = [lambda: None, end]
    assert headland("batch", "log", "0", "-f").stdout == "stdout: \nwritten late\n"


@pytest.mark.usefixtures("offers")
def test_following_from_the_tail(headland, stand_in):
    batch = stand_in.add_batch("running", log=["stdout: ", "a", "b"])

    def end():
        stand_in.logs[0].append("c")
        batch["state"] = "killed"

    stand_in.events = [end]
    assert headland("batch", "log", "0", "-f", "--tail", "1").stdout == "b\nc\n"


def test_intervals_grow_to_a_second_and_begin_again_when_a_line_comes(headland, stand_in):
    batch = stand_in.add_batch("running")
    quiet = [lambda: None] * 6
    stand_in.events = [
        *quiet,
        lambda: stand_in.logs[0].append("x"),
        lambda: None,
        lambda: batch.update(state="dead"),
    ]
    headland("batch", "log", "0", "-f")
    assert [round(seconds, 2) for seconds in stand_in.sleeps] == [0.2, 0.3, 0.45, 0.68, 1, 1, 1, 0.2, 0.3]


@pytest.mark.usefixtures("offers")
def test_a_name_that_comes_to_mean_another_batch_is_not_followed(headland, stand_in):
    first = stand_in.add_batch("running", name="nightly", log=["first"])

    def replace():
        first.update(state="success", name=None)
        stand_in.add_batch("running", name="nightly", log=["second"])

    stand_in.events = [replace]
    result = headland("batch", "log", "nightly", "-f")
    assert (result.exit_code, result.stdout) == (0, "first\n")


def test_following_outlives_a_restart_of_the_service(headland, stand_in):
    batch = stand_in.add_batch("running", log=["before"])

    def go_away():
        stand_in.instead["GET", "/livy/batches/0/state"] = [
            httpx.ConnectError("Connection refused"),
            httpx.Response(503, json={"msg": "starting"}),
        ]
        stand_in.instead["GET", "/livy/batches/0/log"] = [httpx.ReadError("reset")]
        stand_in.logs[0].append("meanwhile")
        batch["state"] = "success"

    stand_in.events = [go_away]
    result = headland("batch", "log", "0", "-f")
    assert (result.exit_code, result.stdout) == (0, "before\nmeanwhile\n")
    assert result.stderr.count("still trying") == 2


@pytest.mark.usefixtures("offers")
def test_an_interrupt_leaves_the_batch_running_and_says_so(headland, stand_in):
    stand_in.add_batch("running", log=["a"])
    stand_in.events = [
        lambda: stand_in.instead.update({("GET", "/livy/batches/0/log"): [KeyboardInterrupt()]})
    ]
    result = headland("batch", "log", "0", "-f")
    assert result.exit_code == 130
    assert result.stdout == "a\n"
    assert result.stderr.startswith("headland: interrupted; batch 0 goes on; ")
    assert stand_in.batches[0]["state"] == "running"
    assert {request.method for request in stand_in.requests} == {"GET", "POST"}
    assert not stand_in.sent("POST", "/livy/batches/0/kill")


def log_requests(stand_in):
    return [request for request in stand_in.requests if request.url.path == "/livy/batches/0/log"]


class Breaking(httpx.SyncByteStream):
    """A body that breaks off."""

    def __init__(self, begin):
        self.begin = begin

    def __iter__(self):
        yield self.begin
        raise httpx.ReadError("reset")


def test_events_are_taken_up_where_they_broke_off(headland, stand_in):
    stand_in.offers_events = True
    stand_in.add_batch("success", log=["one", "two", "three"])
    events = {"content-type": "text/event-stream; charset=utf-8"}
    stand_in.instead["GET", "/livy/batches/0/log"] = [
        httpx.Response(200, headers=events, stream=Breaking(b"id: 1\ndata: one\n\nid: 2\ndata: tw")),
        httpx.ConnectError("Connection refused"),
    ]
    result = headland("batch", "log", "0", "-f")
    assert (result.exit_code, result.stdout) == (0, "one\ntwo\nthree\n")
    assert result.stderr.count("still trying") == 1
    assert [request.headers.get("last-event-id") for request in log_requests(stand_in)] == [None, "1", "1"]


def test_a_stream_that_lasts_is_one_request(headland, stand_in):
    stand_in.offers_events = True
    stand_in.add_batch("success", log=LINES)
    assert headland("batch", "log", "0", "-f").stdout == as_printed(LINES)
    assert len(log_requests(stand_in)) == 1
    assert stand_in.sleeps == []


def test_a_service_that_has_too_many_followers_is_asked_for_pages(headland, stand_in):
    stand_in.offers_events = True
    batch = stand_in.add_batch("running", log=["one"])
    refusal = httpx.Response(503, json={"msg": "200 logs are followed already; ask for pages of the log."})
    stand_in.instead["GET", "/livy/batches/0/log"] = [lambda: None, refusal]

    def end():
        stand_in.logs[0].append("two")
        batch["state"] = "success"

    stand_in.events = [end]
    result = headland("batch", "log", "0", "-f")
    assert (result.exit_code, result.stdout, result.stderr) == (0, "one\ntwo\n", "")
    assert log_requests(stand_in)[-1].url.params["from"] == "1"


def test_carriage_returns_come_through_events(headland, stand_in):
    stand_in.offers_events = True
    stand_in.add_batch("success", log=["stdout: ", "\r10%\r20%", "a\u2028b\x0cc", "\nstderr: "])
    assert headland("batch", "log", "0", "-f").stdout == as_printed(stand_in.logs[0])


def test_a_batch_that_is_deleted_meanwhile_is_4(headland, stand_in):
    stand_in.offers_events = True
    stand_in.add_batch("running", log=["one"])

    def delete():
        del stand_in.batches[0]
        deleted = httpx.Response(
            200, headers={"content-type": "text/event-stream"}, text="event: end\ndata: deleted\n\n"
        )
        stand_in.instead["GET", "/livy/batches/0/log"] = [deleted]

    stand_in.events = [delete]
    result = headland("batch", "log", "0", "-f")
    assert (result.exit_code, result.stdout) == (4, "one\n")
    assert result.stderr.startswith("headland: there is no batch '0'")
