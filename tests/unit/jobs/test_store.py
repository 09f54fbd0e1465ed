"""Rows of batches on a real SQLite file: ids, names, pages, the queue, and what is to be ended."""

import threading
import uuid
from collections.abc import Callable

import pytest
from tests.databases import ON_BOTH

from headland.database import Database
from headland.jobs.batches import store, waiting
from headland.jobs.batches.states import State
from headland.jobs.batches.store import BatchRow, DuplicateNameError, NewBatch
from headland.jobs.batches.waiting import Group

pytestmark = ON_BOTH


@pytest.fixture
def create(database: Database) -> Callable[..., BatchRow]:
    """Create a batch, in a transaction of its own."""

    def create(name: str | None = None, **changes: object) -> BatchRow:
        fields = {
            "run_key": uuid.uuid4().hex,
            "name": name,
            "owner": None,
            "proxy_user": None,
            "request": b'{"file":"wasbs:///app.jar"}',
            "created_at": 1_000,
        }
        new = NewBatch(**{**fields, **changes})
        return database.write_and_wait(lambda connection: store.create(connection, new))

    return create


@pytest.fixture
def write(database: Database) -> Callable[..., object]:
    """Run a store function that writes."""

    def write(function: Callable[..., object], *arguments: object, **options: object) -> object:
        return database.write_and_wait(lambda connection: function(connection, *arguments, **options))

    return write


@pytest.fixture
def read(database: Database) -> Callable[..., object]:
    """Run a store function that reads."""

    def read(function: Callable[..., object], *arguments: object) -> object:
        return database.read(lambda connection: function(connection, *arguments))

    return read


@pytest.fixture
def end(write):
    """End a batch."""

    def end(batch_id: int, state: State = State.SUCCESS, **values: object) -> None:
        write(store.change, batch_id, **{"state": state, "finished_at": 9_000, **values})

    return end


def ids(rows: list[BatchRow]) -> list[int]:
    return [row.id for row in rows]


def test_a_new_row(create):
    row = create("harvest", run_key="k" * 32, owner="app", proxy_user="alice", created_at=1_234)
    assert row == BatchRow(
        id=0,
        run_key="k" * 32,
        name="harvest",
        owner="app",
        proxy_user="alice",
        state=State.STARTING,
        request=b'{"file":"wasbs:///app.jar"}',
        app_id=None,
        app_info=None,
        created_at=1_234,
        claimed_by=None,
        claimed_at=None,
        started_at=None,
        finished_at=None,
        exit_code=None,
        report=None,
        log_tail=None,
        kill_requested_at=None,
        delete_requested_at=None,
        queue=None,
        record=b'{"id":0,"name":"harvest","owner":"app","proxyUser":"alice","state":"starting","appId":null,'
        b'"appInfo":{"driverLogUrl":null,"sparkUiUrl":null,"executorLogUrls":null},',
        detached_at=None,
        handle=None,
    )
    assert isinstance(row.state, State)
    assert not row.unwanted


def test_ids_count_from_0(create, read):
    assert [create().id for _ in range(3)] == [0, 1, 2]
    assert [read(store.get, batch_id).id for batch_id in range(3)] == [0, 1, 2]


def test_an_id_is_never_used_again(create, write):
    for _ in range(3):
        create()
    for batch_id in (2, 0, 1):
        write(store.remove, batch_id)
    assert create().id == 3


def test_ids_are_not_given_twice_to_callers_at_once(create):
    made: list[int] = []
    threads = [threading.Thread(target=lambda: made.extend(create().id for _ in range(10))) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(made) == list(range(40))


def test_a_row_is_on_disk_once_it_is_created(create, database):
    create("harvest")
    other = Database(database.url)
    try:
        assert other.read(lambda connection: store.find(connection, "harvest")).id == 0
    finally:
        other.close()


def test_a_live_name_is_taken_and_its_holder_named(create, read):
    create()
    create("harvest")
    with pytest.raises(DuplicateNameError) as refused:
        create("harvest")
    assert (refused.value.name, refused.value.holder) == ("harvest", 1)
    assert read(store.total) == 2
    # What was refused leaves no trace, not even a number that is missing.
    assert create("sowing").id == 2


def test_a_name_that_is_taken_does_not_disturb_others_of_the_same_commit(database):
    """Writes that arrive together share a commit, and one that fails undoes itself alone."""
    gate = threading.Event()
    database._writer.submit(lambda _connection: gate.wait(20))
    new = [
        NewBatch(uuid.uuid4().hex, name, None, None, b"{}", 1)
        for name in ("a", "b", "a", "c", "b", None, None)
    ]
    made = [database._writer.submit(lambda connection, one=one: store.create(connection, one)) for one in new]
    gate.set()
    outcomes = [type(future.exception(20)) for future in made]
    assert [outcome is DuplicateNameError for outcome in outcomes] == [
        False,
        False,
        True,
        False,
        True,
        False,
        False,
    ]
    assert sorted(future.result().id for future in made if not future.exception()) == [0, 1, 2, 3, 4]


def test_names_differ_by_case_and_none_is_no_name(create):
    create("harvest")
    create("Harvest")
    create()
    assert create().id == 3


@pytest.mark.parametrize("state", [State.SUCCESS, State.DEAD, State.KILLED])
def test_a_name_is_free_again_at_the_end(create, end, read, state):
    create("harvest")
    end(0, state)
    assert create("harvest").id == 1
    assert read(store.name_holder, "harvest") == 1


def test_a_name_is_free_again_when_its_batch_is_to_be_deleted(create, write):
    create("harvest")
    write(store.request_delete, 0, 5)
    assert create("harvest").id == 1


def test_a_batch_that_is_being_killed_keeps_its_name(create, write):
    create("harvest")
    write(store.request_kill, 0, 5)
    with pytest.raises(DuplicateNameError):
        create("harvest")


def test_a_run_key_that_is_there_is_another_error(create):
    from sqlalchemy.exc import IntegrityError

    create(run_key="k" * 32)
    for name in (None, "harvest"):
        with pytest.raises(IntegrityError):
            create(name, run_key="k" * 32)


def test_find_by_id_and_by_name(create, end, read):
    create("harvest")
    end(0)
    create("harvest")
    assert read(store.find, 0).id == 0
    assert read(store.find, 1).id == 1
    assert read(store.find, "harvest").id == 1
    assert read(store.find, 2) is None
    assert read(store.find, "sowing") is None
    assert read(store.find, "1") is None
    assert read(store.get, 2) is None


def test_what_is_being_deleted_is_seen_by_its_keeper_alone(create, read, write):
    create("harvest")
    create("sowing")
    write(store.request_delete, 0, 5)
    assert read(store.find, 0) is None
    assert read(store.find, "harvest") is None
    assert ids(read(store.page, 0, 10)) == [1]
    assert read(store.total) == 1
    assert read(store.unwanted_ids) == [0]
    assert read(store.get, 0).unwanted
    assert read(store.get, 0).delete_requested_at == 5


def test_pages_are_oldest_first_and_of_the_size_asked_for(create, write, read):
    for _ in range(7):
        create()
    write(store.request_delete, 2, 5)
    write(store.remove, 4)
    visible = [0, 1, 3, 5, 6]
    for start in range(7):
        for size in range(7):
            assert ids(read(store.page, start, size)) == visible[start : start + size]
    assert read(store.page, 0, 2**31 - 1)[-1].id == 6
    assert read(store.page, 2**31 - 1, 2**31 - 1) == []
    assert read(store.total) == len(visible)


def test_an_empty_table(read):
    assert read(store.page, 0, 100) == []
    assert read(store.total) == 0
    assert read(store.claimed_ids, "node") == read(store.unwanted_ids) == []
    assert read(store.count_by_state) == {}


def test_the_queue_is_in_order_and_without_what_is_taken_ended_or_unwanted(create, write, read, end):
    for _ in range(8):
        create()
    write(store.claim, 1, "node", 5)
    write(store.request_kill, 2, 5)
    write(store.request_delete, 3, 5)
    end(4, State.KILLED)
    assert read(waiting.first, 100) == [0, 5, 6, 7]
    assert read(waiting.first, 2) == [0, 5]
    assert read(waiting.first, 0) == []
    assert read(waiting.heads) == {Group("default", ""): 0}
    assert read(store.claimed_ids, "node") == [1]
    assert read(store.claimed_ids, "other") == []
    assert read(store.unwanted_ids) == [2, 3]


def test_a_batch_is_claimed_once(create, write, read):
    create()
    assert write(store.claim, 0, "node-a", 5) is True
    assert write(store.claim, 0, "node-b", 6) is False
    assert write(store.claim, 0, "node-a", 7) is False
    row = read(store.get, 0)
    assert (row.claimed_by, row.claimed_at) == ("node-a", 5)


@pytest.mark.parametrize("ask", [store.request_kill, store.request_delete])
def test_what_is_not_wanted_is_not_claimed(create, write, read, ask):
    create()
    write(ask, 0, 5)
    assert write(store.claim, 0, "node", 6) is False
    assert read(store.get, 0).claimed_by is None
    assert write(store.claim, 99, "node", 6) is False


def test_a_claimed_batch_that_has_ended_is_not_attended_to(create, write, read, end):
    create()
    write(store.claim, 0, "node", 5)
    end(0)
    assert read(store.claimed_ids, "node") == []


def test_an_ended_batch_keeps_what_it_ended_with(create, write, read, end):
    create()
    write(store.change, 0, app_id="local-1", started_at=7)
    end(0, State.DEAD, exit_code=3, report=b"r")
    write(store.change, 0, state=State.RUNNING, exit_code=0, report=b"x")
    write(store.request_kill, 0, 10)
    row = read(store.get, 0)
    assert (row.state, row.exit_code, row.report, row.app_id, row.started_at) == (
        State.DEAD,
        3,
        b"r",
        "local-1",
        7,
    )
    assert row.kill_requested_at is None


def test_the_first_request_to_kill_stands(create, write, read):
    create()
    write(store.request_kill, 0, 5)
    write(store.request_kill, 0, 6)
    assert read(store.get, 0).kill_requested_at == 5
    assert read(store.get, 0).unwanted
    write(store.request_kill, 99, 5)


def test_one_caller_deletes(create, write, read, end):
    create()
    create()
    end(1)
    for batch_id in (0, 1):
        assert write(store.request_delete, batch_id, 5) is True
        assert write(store.request_delete, batch_id, 6) is False
        assert read(store.get, batch_id).delete_requested_at == 5
    assert write(store.request_delete, 99, 5) is False


def test_states_are_counted_without_what_is_being_deleted(create, write, read, end):
    for _ in range(5):
        create()
    end(0)
    end(1)
    end(2, State.DEAD)
    write(store.request_delete, 1, 5)
    assert read(store.count_by_state) == {"starting": 2, "success": 1, "dead": 1}


def test_texts_of_every_language_survive(create, read):
    name = "Ernte 麦 🌾 'q\" \\ %_"
    create(name)
    assert read(store.find, name).name == name
    assert read(store.find, "Ernte%") is None


def test_where_the_end_of_a_log_is(create, write, read, end):
    """In the file as long as somebody may be writing it, and in the row before and after."""
    create(run_key="k" * 32)

    def shown() -> tuple[object, object]:
        found = read(store.shown, 0)
        assert read(store.page, 0, 1) == [found]
        return found.log_tail, found.live

    assert shown() == (None, None)
    write(store.claim, 0, "node", 5)
    assert shown() == (None, "k" * 32)
    end(0, log_tail=b'["bye"]')
    assert shown() == (b'["bye"]', None)


@pytest.mark.parametrize("look", [store.shown, store.state])
def test_what_is_shown_is_found_by_id_and_name(create, write, read, end, look):
    create("harvest")
    end(0)
    create("harvest")
    assert read(look, 0)[0] == 0
    assert read(look, "harvest")[0] == 1
    assert read(look, "sowing") is read(look, 9) is None
    write(store.request_delete, 1, 10)
    assert read(look, 1) is None
    assert read(look, "harvest")[0] == 0


def test_a_state_is_told_with_its_id(create, read, end):
    create("harvest")
    assert read(store.state, "harvest") == (0, "starting")
    end(0, State.DEAD)
    assert read(store.state, 0) == (0, "dead")
