"""Server-sent events are read as the standard has it."""

import pytest

from headland.cli.events import Event, events

STREAM = (
    b": hello\n\nid: 1\ndata: one\n\nevent: named\ndata:two\ndata:  2\nretry: 9\n\n"
    b"data\n\nid: 7\r\ndata: \xc3\xa4\xe2\x80\xa8\r\n\r\nevent: nothing\n\ndata: cut sh"
)
EXPECTED = [
    Event("", "one", "1"),
    Event("named", "two\n 2", "1"),
    Event("", "", "1"),
    Event("", "ä\u2028", "7"),
]


@pytest.mark.parametrize("size", [1, 2, 7, 1000])
def test_events_of_a_stream_however_it_comes(size):
    chunks = [STREAM[at : at + size] for at in range(0, len(STREAM), size)]
    assert list(events(chunks)) == EXPECTED
