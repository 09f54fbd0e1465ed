"""Batches for a database to hold: ended ones, as a controller leaves them."""

import time
from functools import partial

import msgspec
from sqlalchemy import Connection

from headland.database import Database
from headland.jobs.batches import report as reports
from headland.jobs.batches import store, submission
from headland.jobs.batches.log import ERR
from headland.jobs.batches.report import Report
from headland.jobs.batches.states import State
from headland.jobs.batches.submission import Submission

#: Ten days ago, in milliseconds since the epoch: what is older than `jobs.keep_ended_for` would be deleted.
_FIRST = time.time_ns() // 1_000_000 - 10 * 86_400_000


#: Batches a transaction: none is seen by the controller before it has ended, and nobody waits long.
_AT_ONCE = 500


def fill(database: Database, count: int) -> None:
    """Insert `count` ended batches through the store."""

    def insert(connection: Connection, first: int) -> None:
        for number in range(first, min(first + _AT_ONCE, count)):
            _insert(connection, number)

    for first in range(0, count, _AT_ONCE):
        database.write_and_wait(partial(insert, first=first))


def _insert(connection: Connection, number: int) -> None:
    at = _FIRST + 60_000 * number
    asked = Submission(
        file="wasbs:///jars/yield-report.jar",
        class_name="headland.examples.YieldReport",
        args=(str(number),),
        conf={"spark.sql.shuffle.partitions": "8"},
    )
    new = store.NewBatch(
        run_key=f"{number:032x}",
        name=f"yield-{number}",
        owner="7c4d5a1e-0f2b-4c8e-9a77-3d1f6b0c9e42",
        proxy_user=None,
        request=submission.encode(asked),
        created_at=at,
    )
    report = Report(
        diagnostics="N/A",
        host="headland.example.org",
        queue="default",
        start_time=at,
        final_status="SUCCEEDED",
        tracking_url="N/A",
        user="headland",
        shutdown=(
            "24/06/01 00:00:07 INFO Runner: Shutdown: the application ended with exit code 0",
            f"24/06/01 00:00:07 INFO Runner: Shutdown complete: no process of batch {number} is left",
        ),
    )
    created = store.create(connection, new)
    store.change(
        connection,
        created.id,
        state=State.SUCCESS,
        app_id=f"local-{at}",
        claimed_by="node",
        claimed_at=at,
        started_at=at,
        exit_code=0,
        report=reports.encode(report),
        log_tail=msgspec.json.encode([ERR, *report.lines()]),
        finished_at=at + 7_000,
    )
