"""The controller's bell: it rings if somebody listens, and harms nobody if not."""

import socket
import tempfile

import pytest

from headland.jobs.wakeup import Calls, heard, listen, socket_address, wake, wake_for_sessions


@pytest.fixture(params=["short", "long"])
def path(request, tmp_path, monkeypatch):
    if request.param == "short":
        yield tmp_path / "calls"
        return
    deep = tmp_path.joinpath(*["a-folder-with-a-long-name"] * 6)
    deep.mkdir(parents=True)
    # Not in `tmp_path`, whose own name may be too long for a socket's.
    with tempfile.TemporaryDirectory() as folder:
        monkeypatch.setattr("tempfile.tempdir", folder)
        yield deep / "controller.sock"


def test_a_call_arrives(path):
    with listen(path) as calls:
        calls.settimeout(20)
        wake(path)
        assert calls.recv(100) == b"\n"
        wake(path)
        assert calls.recv(100) == b"\n"


def test_all_that_was_said_is_heard_at_once(path):
    with listen(path) as calls:
        assert heard(calls) == Calls()
        assert wake(path)
        assert wake(path, 17)
        assert wake(path, 4)
        assert wake(path, 17)
        assert wake_for_sessions(path)
        say(path, b"0123456789abcdef0123456789abcdef")
        assert heard(calls) == Calls({4, 17}, {"0123456789abcdef0123456789abcdef"}, sessions=True)
        assert heard(calls) == Calls()


@pytest.mark.parametrize(
    "said", [b"", b"#", b"#x", b"#-1", b"17", b"#\xb2", b"run-key", b"\xff" * 32, b"x" * 200]
)
def test_what_makes_no_sense_names_no_batch(path, said):
    with listen(path) as calls:
        say(path, said)
        assert heard(calls).batches == set()


def say(path, said):
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as sender:
        sender.sendto(said, socket_address(path))


def test_where_nobody_listens_nothing_happens(path):
    assert not wake(path)
    assert not wake(path.parent / "no" / "such" / "folder" / "calls")


def test_where_somebody_listened_once_nothing_happens(path):
    listen(path).close()
    wake(path)


def test_a_later_listener_takes_over(path):
    with listen(path) as former, listen(path) as latter:
        latter.settimeout(20)
        wake(path)
        assert latter.recv(100) == b"\n"
        with pytest.raises(BlockingIOError):
            former.recv(100)


def test_a_listener_that_does_not_answer_holds_nobody_up(path):
    with listen(path) as calls:
        assert not all(wake(path, 3) for _ in range(2000)), "a caller must know that nobody got it"
        assert calls.recv(100) == b"#3"


def test_nobody_else_may_call(path):
    from pathlib import Path

    with listen(path):
        assert Path(socket_address(path)).stat().st_mode & 0o777 == 0o600


def test_a_long_path_has_a_short_address_of_its_own(tmp_path):
    long = tmp_path / ("x" * 200)
    assert len(socket_address(long)) <= 100
    assert socket_address(long) == socket_address(long)
    assert socket_address(long) != socket_address(tmp_path / ("y" * 200))
    assert socket_address(tmp_path / "a") == str(tmp_path / "a")
