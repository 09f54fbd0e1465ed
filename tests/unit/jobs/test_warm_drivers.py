"""Drivers that stand ready: real runners, with a small program in the place of Java."""

import os
import signal
import sys
import time

import pytest
from tests.serving import eventually
from tests.unit.jobs.warm_pool import PLAIN

from headland.jobs.batches.submission import Submission
from headland.jobs.clusters.launch import MARK
from headland.jobs.controller import warm as drivers
from headland.jobs.controller.memory import available, of_driver
from headland.jobs.controller.tries import MOST, Tries
from headland.jobs.runner.processes import marked
from headland.jobs.runner.run_directory import RunDirectory

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="marks are found on Linux only")


def test_a_driver_is_started_in_a_directory_of_its_own(pool):
    directory = pool.until_ready()
    pool.warm.tend(quiet=True)
    assert len(pool.directories) == 1, "one is wanted"
    arguments = (directory.path / "warm.args").read_text()
    assert f'"-Djava.io.tmpdir={directory.temporary}"' in arguments
    assert "org.apache.spark.headland.WarmDriver" in arguments


def test_none_is_started_while_batches_need_the_processors(pool):
    pool.warm.tend(quiet=False)
    assert pool.directories == []


def test_none_is_wanted(make_pool):
    pool = make_pool(warm_drivers=0)
    pool.warm.tend(quiet=True)
    assert pool.directories == []
    assert pool.warm.take(PLAIN) is None


def test_several_are_started_one_after_the_other(make_pool):
    pool = make_pool(warm_drivers=2)
    first = pool.until_ready()
    pool.warm.tend(quiet=True)
    (second,) = [directory for directory in pool.directories if directory.path != first.path]
    eventually(second.warmed.exists, "the second is ready", 20)
    assert pool.warm.take(PLAIN) == first.path.name
    assert pool.warm.take(PLAIN) == second.path.name
    assert pool.warm.take(PLAIN) is None


def test_a_driver_is_taken_once(pool):
    directory = pool.until_ready()
    key = pool.warm.take(PLAIN)
    assert key == directory.path.name
    assert pool.warm.taken(key) is not None
    assert pool.warm.take(PLAIN) is None
    pool.warm.give_back(key)
    assert pool.warm.taken(key) is None
    assert pool.warm.take(PLAIN) == key
    pool.warm.give_up(key)
    assert marked(MARK, key) == []
    assert directory.warm.exists(), "the directory is the batch's"


FITTING = [
    {"args": ("a",), "name": "x", "jars": ("/b.jar",), "proxy_user": "alice"},
    {"class_name": None, "file": "/app.py"},
    {"conf": {"spark.sql.shuffle.partitions": "7", "spark.ui.enabled": "true"}},
    {"driver_memory": "1g"},
    {"conf": {"spark.driver.memory": "1G"}},
    {"executor_memory": "3g", "driver_cores": 2},
]

OTHERS = [
    {"driver_memory": "2g"},
    {"conf": {"spark.driver.memory": "2g"}},
    {"conf": {"spark.driver.extraJavaOptions": "-Da=b"}},
    {"conf": {"spark.driver.defaultJavaOptions": "-Da=b"}},
    {"conf": {"spark.driver.extraJavaOptions": "'"}},
    {"conf": {"spark.driver.extraClassPath": "/x.jar"}},
    {"conf": {"spark.driver.extraLibraryPath": "/lib"}},
    {"conf": {"spark.hadoop.fs.s3a.access.key": "x"}},
]


@pytest.mark.parametrize("fields", FITTING)
def test_what_fits(pool, fields):
    directory = pool.until_ready()
    request = Submission(**{"file": "/app.jar", "class_name": "demo.App", **fields})
    assert pool.warm.take(request) == directory.path.name


@pytest.mark.parametrize("fields", OTHERS)
def test_what_does_not(pool, fields):
    directory = pool.until_ready()
    assert pool.warm.take(Submission(file="/app.jar", class_name="demo.App", **fields)) is None
    assert pool.warm.take(PLAIN) == directory.path.name, "the driver is still there for others"


def test_what_the_deployment_sets_for_every_batch_fits(make_pool):
    conf = {"spark.hadoop.fs.s3a.endpoint": "x", "spark.driver.extraJavaOptions": "-Da=b"}
    pool = make_pool(spark_conf=conf)
    directory = pool.until_ready()
    assert "spark.hadoop.fs.s3a.endpoint=x" in (directory.path / "warm.args").read_text()
    assert pool.warm.take(PLAIN) == directory.path.name


def test_one_that_gets_ready_is_taken_if_it_is_worth_waiting_for(pool):
    (pool.java / "slow").touch()
    pool.warm.tend(quiet=True)
    directory = pool.one()
    pool.now += 1.0
    assert pool.warm.take(PLAIN) == directory.path.name
    (pool.java / "slow").unlink()


@pytest.mark.parametrize(
    ("request_", "age"), [(PLAIN, 0.5), (Submission(file="/a.py", driver_memory="3g"), 2.0)]
)
def test_one_that_gets_ready_makes_way_for_a_batch_that_can_not_use_it(pool, request_, age):
    (pool.java / "slow").touch()
    pool.warm.tend(quiet=True)
    directory = pool.one()
    pool.now += age
    assert pool.warm.take(request_) is None
    pool.until_ended(directory)
    pool.warm.tend(quiet=False)
    assert pool.directories == []
    (pool.java / "slow").unlink()
    pool.until_ready()


def test_a_java_that_fails_is_tried_again_with_growing_pauses(pool):
    (pool.java / "broken").touch()
    pauses = []
    for _ in range(MOST):
        pool.warm.tend(quiet=True)
        directory = pool.one()
        pool.warm._waiting[directory.path.name].held.runner.wait(20)
        pool.warm.tend(quiet=True)
        assert pool.directories == [], "it is removed, and not tried again at once"
        began = pool.now
        while pool.now < began + 4000 and not pool.warm._tries.due(pool.now):
            pool.now += 5
        pauses.append(pool.now - began)
    assert pauses[:4] == [10, 40, 160, 640]
    assert pauses[-1] >= 4000, "at last it is given up"


def test_one_that_is_killed_is_replaced(pool):
    directory = pool.until_ready()
    runner = directory.read(directory.runner)["pid"]
    os.kill(runner, signal.SIGKILL)
    pool.until_ended(directory)
    pool.warm.tend(quiet=True)
    assert pool.directories == []
    assert pool.warm.take(PLAIN) is None
    pool.now += 10
    assert pool.until_ready().path != directory.path


def test_a_dead_one_is_not_taken(pool):
    directory = pool.until_ready()
    os.kill(directory.read(directory.runner)["pid"], signal.SIGKILL)
    pool.until_ended(directory)
    assert pool.warm.take(PLAIN) is None


def test_memory_that_is_short(pool, monkeypatch):
    directory = pool.until_ready()
    monkeypatch.setattr(drivers, "available", lambda: 3 << 30)
    pool.warm.tend(quiet=True)
    assert pool.one().path == directory.path, "it stays while there is some"
    monkeypatch.setattr(drivers, "available", lambda: 1 << 29)
    pool.warm.tend(quiet=True)
    pool.until_ended(directory)
    pool.warm.tend(quiet=True)
    assert pool.directories == []
    monkeypatch.setattr(drivers, "available", lambda: 3 << 30)
    pool.warm.tend(quiet=True)
    assert pool.directories == []
    monkeypatch.setattr(drivers, "available", lambda: None)
    pool.until_ready()


def test_a_disk_that_is_full_leaves_nothing_and_is_tried_later(pool, monkeypatch):
    def full(*_, **__):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(drivers, "write_private", full)
    pool.warm.tend(quiet=True)
    assert pool.directories == []
    monkeypatch.undo()
    pool.warm.tend(quiet=True)
    assert pool.directories == []
    pool.now += 10
    pool.until_ready()


def test_close_leaves_nothing(pool):
    directory = pool.until_ready()
    pool.warm.close()
    assert marked(MARK, directory.path.name) == []
    assert pool.directories == []


def test_close_leaves_a_batch_its_directory(pool):
    key = pool.warm.take(PLAIN) if pool.until_ready() else None
    pool.warm.close()
    pool.until_ended(RunDirectory(pool.home.batches / key))
    assert pool.one().path.name == key


def test_available_memory(tmp_path):
    file = tmp_path / "meminfo"
    file.write_text("MemTotal:  9 kB\nMemAvailable:   2048 kB\n")
    assert available(file) == 2 << 20
    assert available(tmp_path / "none") is None


@pytest.mark.parametrize(
    ("setting", "size"),
    [
        ("1g", 1 << 30),
        ("512", 512 << 20),
        ("700M", 700 << 20),
        ("2GB", 2 << 30),
        ("1048576b", 1 << 20),
        ("64k", 1 << 16),
        ("1t", 1 << 40),
    ],
)
def test_a_drivers_memory(setting, size):
    assert of_driver(setting) == size


def test_tries_begin_anew_after_a_success():
    tries = Tries()
    assert [tries.failed(0.0), tries.failed(0.0)] == [10.0, 40.0]
    tries.succeeded()
    assert tries.failed(time.monotonic()) == 10.0
