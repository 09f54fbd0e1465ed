"""The service's log tells of faults, and nothing that is secret."""

import json
from collections.abc import Iterator

import pytest
import structlog

from headland.server.logging import configure_logging
from headland.settings import LogSettings


@pytest.fixture(autouse=True)
def as_it_was() -> Iterator[None]:
    yield
    structlog.reset_defaults()


def fail_with(secret: str) -> None:
    raise ValueError(f"a secret of {len(secret)} letters")


def log_a_failure() -> None:
    try:
        fail_with("hunter2")
    except ValueError:
        structlog.get_logger().exception("request.failed", path="/token")


def test_a_line_is_json_and_tells_where_it_failed(capsys: pytest.CaptureFixture[str]) -> None:
    configure_logging(LogSettings(format="json"))
    log_a_failure()
    told = json.loads(capsys.readouterr().err)
    assert (told["event"], told["level"], told["path"]) == ("request.failed", "error", "/token")
    assert told["exception"][0]["exc_value"] == "a secret of 7 letters"
    assert told["exception"][0]["frames"][-1]["name"] == "fail_with"


@pytest.mark.parametrize("form", ["json", "console"])
def test_no_variable_of_a_traceback_is_told(form: str, capsys: pytest.CaptureFixture[str]) -> None:
    configure_logging(LogSettings(format=form))  # type: ignore[arg-type] # one of the two
    log_a_failure()
    told = capsys.readouterr().err
    assert "fail_with" in told
    assert "hunter2" not in told.replace('fail_with("hunter2")', "")
