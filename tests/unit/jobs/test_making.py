"""Making what starts applications faster: in its order, tried again, and gone with the controller."""

import os
import sys

import pytest
from tests.serving import eventually

from headland.jobs.clusters.cluster import Clusters
from headland.jobs.clusters.companion import Companion
from headland.jobs.clusters.java import Toolchain
from headland.jobs.clusters.launch import MARK
from headland.jobs.clusters.startup import StartupCache
from headland.jobs.controller import making as module
from headland.jobs.controller.making import Making
from headland.jobs.controller.tries import Tries
from headland.jobs.runner.processes import marked
from headland.settings import Home, JobsSettings

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="marks are found on Linux only")

#: Makes an empty file where Java would make a real one, and keeps a list of what it was asked for.
JAVA = """#!{python} -S
import os, re, sys, time
here = os.path.dirname(os.path.abspath(__file__))
asked = open(sys.argv[1][1:]).read()
while os.path.exists(here + "/slow"): time.sleep(0.01)
if os.path.exists(here + "/broken"):
    print("this Java is broken")
    raise SystemExit(1)
what = re.search(r'scala.tools.nsc.Main|AOTMode=record|AOTMode=create', asked)[0]
with open(here + "/asked", "a") as log: log.write(what + " " + str(os.nice(0)) + "\\n")
if what != "AOTMode=record": open("made.jar" if "scala" in what else "made.aot", "w").write(what)
"""


@pytest.fixture
def home(tmp_path):
    home = Home(tmp_path / "my home")
    for folder in (home.path, home.runtime, tmp_path / "java" / "bin", tmp_path / "spark" / "jars"):
        folder.mkdir(parents=True)
    (tmp_path / "java" / "release").write_text('JAVA_VERSION="25"\n')
    (tmp_path / "java" / "bin" / "java").write_text(JAVA.format(python=sys.executable))
    (tmp_path / "java" / "bin" / "java").chmod(0o755)
    (tmp_path / "spark" / "jars" / "scala-compiler-2.jar").touch()
    return home


@pytest.fixture
def bin_(tmp_path):
    return tmp_path / "java" / "bin"


@pytest.fixture
def make(home, tmp_path):
    made = []

    def make():
        tools = Toolchain(tmp_path / "java" / "bin" / "java", tmp_path / "spark")
        cluster = Clusters(JobsSettings(), tools, StartupCache.of(tools, home.cache, "x"))
        made.append((Making(cluster, Companion.of(tools, home.cache), home), cluster))
        return made[-1]

    yield make
    for making, _ in made:
        making.close()


def until(making, look, what):
    def tended():
        making.tend(cache=True)
        return look()

    eventually(tended, what, 20)


def test_everything_is_made_once_and_the_cache_at_the_least_priority(make, home, bin_):
    making, cluster = make()
    assert making.companion is None
    assert cluster.startup.use() == []
    until(making, cluster.startup.use, "the cache is made")
    assert (bin_ / "asked").read_text().splitlines() == [
        f"scala.tools.nsc.Main {os.nice(0)}",
        "AOTMode=record 19",
        "AOTMode=create 19",
    ]
    assert making.companion.path.read_bytes().startswith(b"scala.tools.nsc.Main")
    assert sorted(entry.suffix for entry in home.cache.iterdir()) == [".aot", ".jar"]
    again, cluster = make()
    again.tend(cache=True)
    assert cluster.startup.use()
    assert len((bin_ / "asked").read_text().splitlines()) == 3


def test_the_cache_is_not_made_unless_it_is_wanted_now(make, bin_):
    making, _ = make()
    for _ in range(3):
        making.tend(cache=False)
        if making._held:
            making._held[0].runner.wait(20)
    assert (bin_ / "asked").read_text().splitlines() == [f"scala.tools.nsc.Main {os.nice(0)}"]


def test_a_failure_is_tried_again_later(make, home, bin_, monkeypatch):
    (bin_ / "broken").touch()
    making, _ = make()
    until(making, lambda: making._tries["companion"].failures, "it has failed")
    assert list(home.cache.iterdir()) == []
    for _ in range(3):
        making.tend(cache=True)
        assert making._held is None, "not at once"
    (bin_ / "broken").unlink()
    monkeypatch.setattr(Tries, "due", lambda *_: True)
    until(making, lambda: making.companion, "the next try does it")


def test_what_is_under_way_ends_with_the_controller(make, home, bin_):
    (bin_ / "slow").touch()
    making, _ = make()
    making.tend(cache=True)
    (folder,) = home.cache.iterdir()
    assert marked(MARK, folder.name)
    making.close()
    assert not marked(MARK, folder.name)
    assert list(home.cache.iterdir()) == []


def test_what_a_killed_controller_left_is_removed(make, home, bin_):
    (bin_ / "slow").touch()
    making, _ = make()
    making.tend(cache=True)
    (folder,) = home.cache.iterdir()
    held = making._held[0]
    held.let_go()
    held.runner.wait(20)
    (bin_ / "slow").unlink()
    other, cluster = make()
    until(other, cluster.startup.use, "the next one makes it")
    assert not folder.exists()


def test_one_that_takes_too_long_is_given_up(make, bin_, monkeypatch):
    (bin_ / "slow").touch()
    monkeypatch.setattr(module, "_PATIENCE", 0.2)
    making, _ = make()
    until(making, lambda: making._tries.get("companion", Tries()).failures, "it is given up")
