"""Keys of submissions in a real database, with several writers."""

import threading
import uuid

import pytest
from tests.databases import ON_BOTH

from headland.database import Database
from headland.jobs.batches import store
from headland.jobs.batches.errors import KeyReusedError
from headland.jobs.batches.store import DuplicateNameError, NewBatch
from headland.jobs.batches.submission import Submission
from headland.jobs.batches.submission_keys import (
    SubmissionKey,
    create_once,
    find_submitted,
    forget_submission_keys,
)

WHEAT = Submission("wasbs:///app.py", args=("wheat",))
BARLEY = Submission("wasbs:///app.py", args=("barley",))


def new(name: str | None = None, at: int = 1_000) -> NewBatch:
    return NewBatch(uuid.uuid4().hex, name, "app", None, b"{}", at)


def submit(
    database: Database, text: str, submission: Submission = WHEAT, name: str | None = None, at: int = 1
) -> int:
    key = SubmissionKey.of(text, "app", submission)
    return database.write_and_wait(lambda connection: create_once(connection, new(name, at), key)).id


@ON_BOTH
def test_several_workers_make_one_batch_of_a_key(database):
    """Workers are processes with a connection each: what holds between two of them holds between processes."""
    workers = [Database(database.url) for _ in range(4)]
    start = threading.Barrier(len(workers))
    made: dict[str, set[int]] = {str(number): set() for number in range(25)}

    def work(worker: Database) -> None:
        start.wait()
        for text, ids in made.items():
            ids.add(submit(worker, text))

    threads = [threading.Thread(target=work, args=(worker,)) for worker in workers]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for worker in workers:
        worker.close()
    assert [len(ids) for ids in made.values()] == [1] * 25
    assert database.read(store.total) == 25


@ON_BOTH
def test_a_batch_that_could_not_be_made_leaves_no_key(database):
    submit(database, "first", name="harvest")
    with pytest.raises(DuplicateNameError):
        submit(database, "second", name="harvest")
    assert submit(database, "second", BARLEY) == 1


@ON_BOTH
def test_keys_are_forgotten_by_age(database):
    for at in range(5):
        submit(database, str(at), at=at)
    forget = database.write_and_wait(lambda connection: forget_submission_keys(connection, 3))
    assert forget == 3
    known = [
        database.read(
            lambda connection, text=text: find_submitted(connection, SubmissionKey.of(text, "app", WHEAT))
        )
        for text in "01234"
    ]
    assert [row and row.id for row in known] == [None, None, None, 3, 4]
    # Batches do not go with their keys, and a key that was forgotten is a new one.
    assert database.read(store.total) == 5
    assert submit(database, "0", BARLEY) == 5
    with pytest.raises(KeyReusedError):
        submit(database, "4", BARLEY)


def test_a_fingerprint_does_not_depend_on_order():
    one = Submission("wasbs:///app.py", conf={"a": "1", "b": "2"})
    other = Submission("wasbs:///app.py", conf={"b": "2", "a": "1"})
    assert SubmissionKey.of("k", None, one) == SubmissionKey.of("k", None, other)
    assert SubmissionKey.of("k", None, one) != SubmissionKey.of("k", None, Submission("wasbs:///app.py"))
