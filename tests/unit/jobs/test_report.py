"""The application report: a line each label, in the order and words of YARN's client, then the shutdown messages."""

import msgspec
import pytest

from headland.jobs.batches.report import Report, decode, encode

REPORT = Report(
    diagnostics="N/A",
    host="node-7",
    queue="night",
    start_time=1_800_000_000_123,
    final_status="SUCCEEDED",
    tracking_url="https://headland.test:8443/livy/batches/3/log",
    user="alice",
    shutdown=("Shutdown: done", "Shutdown complete"),
)


def test_lines():
    assert REPORT.lines() == [
        "\t diagnostics: N/A",
        "\t ApplicationMaster host: node-7",
        "\t queue: night",
        "\t start time: 1800000000123",
        "\t final status: SUCCEEDED",
        "\t tracking URL: https://headland.test:8443/livy/batches/3/log",
        "\t user: alice",
        "Shutdown: done",
        "Shutdown complete",
    ]


def test_a_report_survives_its_row():
    assert decode(encode(REPORT)) == REPORT


def test_no_field_may_be_left_out():
    with pytest.raises(msgspec.ValidationError):
        decode(b'{"diagnostics":"N/A"}')
