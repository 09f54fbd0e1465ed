"""The journal: what was acknowledged is there, what was not is not, and a full disk loses nothing that was."""

import errno
import os
from pathlib import Path

import pytest

from headland.jobs.sessions.host.journal import (
    AVAILABLE,
    CANCELLED,
    JOBS,
    RUNNING,
    STATEMENTS,
    WAITING,
    Journal,
)
from headland.jobs.sessions.host.session import read_journal


@pytest.fixture
def journal(tmp_path: Path) -> Journal:
    journal = Journal(tmp_path / "journal")
    journal.open()
    return journal


def test_what_was_written_is_read_again(journal: Journal, tmp_path: Path) -> None:
    done, running, waiting = (
        journal.accept("pyspark", code, 10) for code in (b'"1+1"', '"größe"'.encode(), b'"3"')
    )
    journal.start(done, 11)
    journal.end(done, AVAILABLE, {"status": "ok"}, 12)
    journal.start(running, 13)
    read = read_journal(tmp_path / "journal")
    assert [(each.id, read.code(each).decode(), each.state) for each in read.statements] == [
        (0, '"1+1"', AVAILABLE),
        (1, '"größe"', RUNNING),
        (2, '"3"', WAITING),
    ]
    assert (read.statements[0].started, read.statements[0].completed) == (11, 12)
    assert read.output(read.statements[0]) == b'{"status":"ok"}'
    assert read.output(read.statements[1]) == b"null"
    assert waiting.state == WAITING


def test_half_a_line_at_the_end_was_told_to_nobody(journal: Journal, tmp_path: Path) -> None:
    journal.accept("pyspark", b'"1"', 1)
    file = tmp_path / "journal"
    whole = file.read_bytes()
    file.write_bytes(whole + b'{"accepted":1,"at":2,"kind":"pyspa')
    assert [each.id for each in read_journal(file).statements] == [0]


def test_there_is_one_writer_for_ever(journal: Journal, tmp_path: Path) -> None:
    with pytest.raises(FileExistsError):
        Journal(tmp_path / "journal").open()


def test_a_full_disk_refuses_statements_and_keeps_outputs(
    journal: Journal, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    running = journal.accept("pyspark", b'"1"', 1)
    before = (tmp_path / "journal").read_bytes()
    write = os.write

    def full(file: int, data: bytes) -> int:
        if data.startswith(b"{"):
            return write(file, data[:5])
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "write", full)
    with pytest.raises(OSError, match="No space"):
        journal.accept("pyspark", b'"2"', 2)
    journal.end(running, AVAILABLE, {"status": "ok"}, 3)
    assert journal.output(running) == b'{"status":"ok"}'
    assert (tmp_path / "journal").read_bytes() == before
    monkeypatch.undo()
    journal.write_rest()
    following = journal.accept("pyspark", b'"2"', 4)
    assert following.id == 1
    read = read_journal(tmp_path / "journal")
    assert [each.state for each in read.statements] == [AVAILABLE, WAITING]
    assert read.output(read.statements[0]) == b'{"status":"ok"}'


def test_one_that_was_cancelled_before_it_began_has_no_output(journal: Journal, tmp_path: Path) -> None:
    statement = journal.accept("pyspark", b'"1"', 1)
    journal.end(statement, CANCELLED, None, 2)
    read = read_journal(tmp_path / "journal")
    assert (read.statements[0].state, read.output(read.statements[0])) == (CANCELLED, b"null")


def test_a_session_that_never_was_up_has_none(tmp_path: Path) -> None:
    assert read_journal(tmp_path / "journal").statements == []


def test_long_code_stays_on_disk_and_jobs_count_by_themselves(journal: Journal, tmp_path: Path) -> None:
    code = b'"%s"' % (b',"output":' * 30_000)
    first, long, last = (
        journal.accept("pyspark", each, 1, list_)
        for each, list_ in ((b'"a"', STATEMENTS), (code, STATEMENTS), (code, JOBS))
    )
    journal.end(long, AVAILABLE, {"data": "b" * 100_000}, 2)
    journal.end(last, AVAILABLE, {"state": "SUCCEEDED"}, 3)
    assert (first.id, long.id, last.id, long.code, last.code) == (0, 1, 0, None, None)
    for each in (journal, read_journal(tmp_path / "journal")):
        (_, statement), (job,) = each.lists[STATEMENTS], each.lists[JOBS]
        assert (each.code(statement), each.code(job)) == (code, code)
        assert each.output(statement) == b'{"data":"%s"}' % (b"b" * 100_000)
        assert each.output(job) == b'{"state":"SUCCEEDED"}'
        assert [one.state for one in (statement, job)] == [AVAILABLE, AVAILABLE]
