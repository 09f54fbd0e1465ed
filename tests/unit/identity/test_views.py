from datetime import UTC, datetime

import msgspec
import pytest

from headland.identity.identifiers import is_domain, is_guid
from headland.identity.records import Application
from headland.identity.views import application_view

GUID = "6f9d2a4e-0c1b-4d3a-9b7e-5a8c1f2e3d40"


def test_times_go_over_the_wire_in_utc_to_the_millisecond():
    record = Application("c", "t", "o", "Drone", False, 1_800_000_000_007, None, 1)
    view = application_view(record, "meadow")
    assert view.created_at == datetime(2027, 1, 15, 8, 0, 0, 7000, tzinfo=UTC)
    body = msgspec.json.decode(msgspec.json.encode(view))
    assert body["createdAt"] == "2027-01-15T08:00:00.007000Z"
    assert body["disabled"] is True


@pytest.mark.parametrize(
    ("text", "good"),
    [
        (GUID, True),
        (GUID.upper(), True),
        (GUID + "\n", False),
        (GUID.replace("-", ""), False),
        ("{" + GUID + "}", False),
        ("", False),
    ],
)
def test_guids(text, good):
    assert is_guid(text) is good


@pytest.mark.parametrize(
    ("text", "good"),
    [
        ("meadow", True),
        ("a.b-c.example", True),
        ("-a", False),
        ("a-", False),
        ("a..b", False),
        ("a b", False),
        ("a/b", False),
        ("", False),
        ("a" * 254, False),
    ],
)
def test_domains(text, good):
    assert is_domain(text) is good
