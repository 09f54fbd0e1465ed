"""The deployer through kills and beside others."""

import subprocess
import sys
import threading
import time

import pytest
from tests.serving import eventually

from headland.control import Deployer, Instances
from headland.database import Database
from headland.farm import Stores as FarmStores

pytestmark = pytest.mark.anyio
WEST = {"location": "westeurope"}

#: A deployer in a process of its own, which stays in the middle of its first work.
STUCK = """
import sys, time
from pathlib import Path
from headland.control import Deployer
from headland.database import Database
from headland.farm import Stores as FarmStores

class Stuck(FarmStores):
    def lay_out(self, key):
        super().lay_out(key)
        print("laid out", flush=True)
        time.sleep(600)
    def remove(self, key):
        print("removing", flush=True)
        time.sleep(600)

from tests.databases import shelf_at
url, folder, lock = sys.argv[1:]
with shelf_at(url, Path(folder)) as shelf:
    Deployer(Database(url), Stuck(shelf), Path(lock)).work()
"""


def _stuck(deployment, tmp_path) -> subprocess.Popen:
    command = [
        sys.executable,
        "-c",
        STUCK,
        deployment.database.url,
        tmp_path / "farm",
        tmp_path / "deployer.lock",
    ]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True)


async def test_killed_in_the_middle_of_deploying(deployment, tmp_path):
    deployment.clock.now = time.time() - 60
    await deployment.ready()
    await deployment.made("PUT", deployment.instance(), json=WEST)
    with _stuck(deployment, tmp_path) as other:
        assert other.stdout.readline() == "laid out\n"
        read = await deployment.made("GET", deployment.instance())
        assert read["properties"]["provisioningState"] == "Creating"
        assert not Instances(deployment.database).find("north-field").ready
        # While the other one works, this one waits, and does not do the same beside it.
        beside = threading.Thread(target=deployment.deployer.work)
        beside.start()
        beside.join(0.3)
        assert beside.is_alive()
        other.kill()
    beside.join(30)
    read = await deployment.made("GET", deployment.instance())
    assert read["properties"]["provisioningState"] == "Succeeded"
    found = Instances(deployment.database).find("NORTH-FIELD")
    assert found.id == deployment.instance()
    assert deployment.laid_out() == {found.store_key}


async def test_killed_in_the_middle_of_removing(deployment, tmp_path):
    deployment.clock.now = time.time() - 60
    await deployment.ready("north-field")
    await deployment.call("DELETE", deployment.instance())
    with _stuck(deployment, tmp_path) as other:
        assert other.stdout.readline() == "removing\n"
        assert (await deployment.call("GET", deployment.instance())).status_code == 404
        assert len(deployment.laid_out()) == 1
        other.kill()
    deployment.deployer.work()
    assert deployment.laid_out() == set()


async def test_deleted_while_it_is_laid_out(deployment, tmp_path):
    await deployment.ready()
    await deployment.made("PUT", deployment.instance(), json=WEST)
    reached, go_on = threading.Event(), threading.Event()

    class Slow(FarmStores):
        def lay_out(self, store_key):
            super().lay_out(store_key)
            reached.set()
            go_on.wait(30)

    slow = Deployer(deployment.database, Slow(deployment.shelf), tmp_path / "deployer.lock", deployment.clock)
    working = threading.Thread(target=slow.work)
    working.start()
    assert reached.wait(30)
    assert (await deployment.call("DELETE", deployment.instance())).status_code == 200
    go_on.set()
    working.join(30)
    assert deployment.laid_out() == set()


async def test_the_thread_works_when_it_is_woken(deployment):
    await deployment.ready()
    deployment.deployer.start()
    try:
        await deployment.made("PUT", deployment.instance(), json=WEST)
        deployment.deployer.wake()
        eventually(
            lambda: Instances(deployment.database).find("north-field").ready, "the instance is ready", 30
        )
    finally:
        deployment.deployer.stop()


async def test_of_many_deployers_each_work_is_done_once(deployment, tmp_path):
    await deployment.ready()
    for number in range(20):
        await deployment.made("PUT", deployment.instance(f"field-{number}"), json=WEST)
    done: list[str] = []

    class Counting(FarmStores):
        def lay_out(self, store_key):
            done.append(store_key)
            super().lay_out(store_key)

    databases = [Database(deployment.database.url) for _ in range(4)]
    deployers = [
        Deployer(database, Counting(deployment.shelf), tmp_path / "deployer.lock", deployment.clock)
        for database in databases
    ]
    threads = [threading.Thread(target=deployer.work) for deployer in deployers]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    for database in databases:
        database.close()
    assert len(done) == len(set(done)) == 20
    assert deployment.laid_out() == set(done)
