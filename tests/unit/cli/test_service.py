"""Faults of the service and of the way to it: exit codes and the one line that tells of them."""

import httpx
import pytest

BATCHES = "/livy/batches"


def refused(headland, stand_in, *answers):
    stand_in.instead["GET", BATCHES] = list(answers)
    result = headland("batch", "list")
    assert result.stdout == ""
    assert result.stderr.startswith("headland: ")
    assert result.stderr.count("\n") == 1
    assert "; " in result.stderr
    assert "s3cr3t" not in result.stderr
    return result


@pytest.mark.parametrize(
    ("status", "code"),
    [(302, 1), (400, 1), (403, 5), (404, 4), (409, 1), (413, 1), (429, 1), (500, 1), (502, 1), (503, 1)],
)
def test_each_status_has_its_exit_code(headland, stand_in, status, code):
    result = refused(headland, stand_in, httpx.Response(status, json={"msg": "for this reason"}))
    assert result.exit_code == code
    if status != 302:
        assert "for this reason" in result.stderr


def test_a_failure_names_its_request_id(headland, stand_in):
    answer = httpx.Response(500, json={"msg": "Internal error."}, headers={"x-request-id": "r-17"})
    assert "request id r-17" in refused(headland, stand_in, answer).stderr


@pytest.mark.parametrize(
    ("answer", "text"),
    [
        (httpx.Response(400, json={"msg": "this"}), "this"),
        (httpx.Response(400, json="this"), "this"),
        (httpx.Response(400, json={"error": {"code": "x", "message": "this"}}), "this"),
        (httpx.Response(400, json={"error": "x", "error_description": "this"}), "this"),
        (httpx.Response(400, text="this\r\nand that"), "this and that"),
        (httpx.Response(400, text="<HTML><p>long"), "Bad Request"),
        (httpx.Response(403, json={}), "Forbidden"),
        (httpx.Response(400, json={"msg": "\x1b[2Jthis"}), "\N{REPLACEMENT CHARACTER}[2Jthis"),
    ],
)
def test_every_form_of_error_body_is_understood(headland, stand_in, answer, text):
    stderr = refused(headland, stand_in, answer).stderr
    assert text in stderr
    assert "<" not in stderr


@pytest.mark.parametrize(
    ("answer", "code"),
    [
        (httpx.Response(200, text="<html>a proxy"), 1),
        (httpx.Response(200, json=[]), 1),
        (httpx.Response(200, json={"from": 0, "total": "many", "sessions": []}), 1),
        (httpx.ConnectError("Connection refused"), 6),
        (httpx.ConnectTimeout("timed out"), 6),
        (httpx.ReadTimeout("timed out"), 6),
        (httpx.RemoteProtocolError("Server disconnected"), 6),
    ],
)
def test_whoever_answers_wrongly_or_not_at_all(headland, stand_in, answer, code):
    assert refused(headland, stand_in, answer).exit_code == code


def test_a_token_that_is_taken_no_more_is_replaced_once(headland, stand_in):
    assert headland("batch", "list").exit_code == 0
    stand_in.revoked.update(stand_in.tokens)
    assert headland("batch", "list").exit_code == 0
    assert len(stand_in.tokens) == 2
    # And the new one is kept.
    assert headland("batch", "list").exit_code == 0
    assert len(stand_in.tokens) == 2


def test_a_second_401_is_5(headland, stand_in):
    answers = [httpx.Response(401, json={"msg": "not you"}) for _ in range(3)]
    result = refused(headland, stand_in, *answers)
    assert result.exit_code == 5
    assert "not you" in result.stderr
    assert "headland login" in result.stderr
    assert len(stand_in.instead["GET", BATCHES]) == 1


def test_no_credentials_are_5(bare_headland):
    assert bare_headland("batch", "list").exit_code == 5


class TestPrivateListener:
    URL = "http://headland.example:8998"

    def test_jobs_have_no_prefix_and_nothing_is_shown_without_credentials(self, bare_headland, stand_in):
        stand_in.add_batch("running")
        assert bare_headland("batch", "show", "0", HEADLAND_URL=self.URL).exit_code == 0
        (request,) = stand_in.requests
        assert request.url == f"{self.URL}/batches/0"
        assert "authorization" not in request.headers

    def test_credentials_go_as_http_basic(self, headland, stand_in):
        assert headland("batch", "list", HEADLAND_URL=self.URL).exit_code == 0
        (request,) = stand_in.requests
        assert request.headers["authorization"] == httpx.BasicAuth(
            "client-1", "s3cr3t-of-client-1"
        )._build_auth_header("client-1", "s3cr3t-of-client-1")

    def test_a_401_tells_of_the_setting(self, bare_headland, stand_in):
        stand_in.instead["GET", "/batches"] = [httpx.Response(401, json={"msg": "who?"})]
        result = bare_headland("batch", "list", HEADLAND_URL=self.URL)
        assert result.exit_code == 5
        assert "server.private_authentication" in result.stderr
        assert len(stand_in.requests) == 1

    @pytest.mark.parametrize(
        "arguments", [["app", "list"], ["storage", "ls"], ["token"], ["batch", "submit", "x.py", "--upload"]]
    )
    def test_all_else_needs_the_public_base(self, headland, stand_in, arguments):
        result = headland(*arguments, HEADLAND_URL=self.URL)
        assert result.exit_code == 2
        assert "public base" in result.stderr
        assert not stand_in.requests
