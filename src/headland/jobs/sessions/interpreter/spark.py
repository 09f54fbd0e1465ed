"""The Spark application of a session: the first interpreter makes it, others join it."""

import os
import signal
import time
import warnings
import zipfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

#: Seconds between looks for the gateway's file.
_LOOK = 0.005

#: Spark's class loader of a driver, to which archives can be added.
_LOADER = "org.apache.spark.util.MutableURLClassLoader"

#: A job's description is the beginning of its cell.
_LONGEST_DESCRIPTION = 120

#: Characters of a cell in which that is looked for.
_LOOKED_AT = 10_000


def prepare() -> None:
    """Import what every interpreter uses of PySpark."""
    import pyspark.java_gateway  # noqa: PLC0415 - once the interpreter takes no more interrupts
    import pyspark.sql  # noqa: F401, PLC0415


class Application:
    """Spark as an interpreter sees it."""

    def __init__(self, session: "SparkSession") -> None:
        self.session = session
        self.context = session.sparkContext
        self._loader: Any = None

    @classmethod
    def join(cls, gateway: Path, patience: float, *, first: bool) -> "Application":
        """The session's application, which the `first` interpreter makes.

        Raises:
            TimeoutError: the JVM has not said in `patience` seconds where it can be reached.
        """
        from pyspark import SparkConf, SparkContext  # noqa: PLC0415
        from pyspark.java_gateway import launch_gateway  # noqa: PLC0415
        from pyspark.sql import SparkSession  # noqa: PLC0415

        port, secret = _address(gateway, patience)
        os.environ["PYSPARK_GATEWAY_PORT"], os.environ["PYSPARK_GATEWAY_SECRET"] = str(port), secret
        try:
            jvm_gateway = launch_gateway()
        finally:
            # Cells, and what they start, have no need of them.
            del os.environ["PYSPARK_GATEWAY_PORT"], os.environ["PYSPARK_GATEWAY_SECRET"]
        SparkContext._ensure_initialized(gateway=jvm_gateway)  # noqa: SLF001 - as PySpark's own shell does
        if first:
            context = SparkContext.getOrCreate()
        else:
            shared = jvm_gateway.jvm.org.apache.spark.SparkContext.getOrCreate()
            java_context = jvm_gateway.jvm.JavaSparkContext(shared)
            conf = SparkConf(_jconf=java_context.getConf())
            context = SparkContext(conf=conf, gateway=jvm_gateway, jsc=java_context)
        # As `spark-submit` has it of programs: what executors run, which may be on other nodes.
        if python := context.getConf().get("spark.pyspark.python"):
            context.pythonExec = python
        # Clients fetch data frames by printing what `toJSON` gives, and read what a cell prints as JSON.
        warnings.filterwarnings("ignore", message="The return type of DataFrame.toJSON")
        return cls(SparkSession(context))

    @property
    def app_id(self) -> str:
        return str(self.context.applicationId)

    @property
    def ui_url(self) -> str | None:
        url = self.context.uiWebUrl
        return None if url is None else str(url)

    @property
    def jvm(self) -> Any:
        """The JVM, as py4j has it."""
        return self.context._jvm  # noqa: SLF001 - as PySpark's own modules do

    @property
    def remote(self) -> bool:
        """Whether it lives on a cluster, which may end it."""
        return not str(self.context.master).startswith("local")

    def is_lost(self) -> bool:
        """Whether it was stopped by somebody else than this interpreter's code: its cluster, for one."""
        context = self._current()
        return context is not None and bool(context._jsc.sc().isStopped())  # noqa: SLF001 - Python's has no word for it

    def conf(self, key: str) -> str:
        """A configuration value; empty where it is not set."""
        return str(self.context.getConf().get(key, "") or "")

    def names(self) -> dict[str, Any]:
        """What Python cells find defined, as in PySpark's shell."""
        from pyspark.sql import SQLContext  # noqa: PLC0415

        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            sql = SQLContext(self.context, self.session)
        return {"spark": self.session, "sc": self.context, "sqlContext": sql}

    def files(self) -> str:
        """The folder with the files and unpacked archives that the application was given."""
        from pyspark import SparkFiles  # noqa: PLC0415

        return str(SparkFiles.getRootDirectory())

    def begin(self, group: str, code: str) -> None:
        """Spark jobs of this thread belong to a group from now on. A context that the code has stopped is the
        code's affair.
        """
        context = self._current()
        if context is not None:
            first = code[:_LOOKED_AT].strip().partition("\n")[0]
            context.setJobGroup(group, first[:_LONGEST_DESCRIPTION], interruptOnCancel=True)

    def cancel(self, group: str) -> bool:
        """Have a group's Spark jobs stopped; whether there were any. For another thread than that of their code."""
        context = self._current()
        if context is None:
            return False
        busy = any(True for _ in self._stages(context, group))
        if busy:
            context.cancelJobGroup(group)
        return busy

    def progress(self, group: str) -> float:
        """The part of a group's Spark tasks that are done; 0.0 where there are none yet."""
        context = self._current()
        if context is None:
            return 0.0
        done = total = 0
        for stage in self._stages(context, group, finished=True):
            done += stage.numCompletedTasks
            total += stage.numTasks
        return done / total if total else 0.0

    def add(self, what: str, path: str) -> None:
        """Give the application a `jar`, `pyfile` or `file`.

        Raises:
            ValueError: what is to be an archive of classes is none.
        """
        context = self._current() or self.context
        if what == "jar":
            self._load(path, context)
            context._jsc.addJar(path)  # noqa: SLF001 - PySpark has no name of its own for it
        elif what == "pyfile":
            context.addPyFile(path)
        else:
            context.addFile(path)

    @property
    def loader(self) -> Any:
        """The driver's own class loader, from which those of gateway, Scala and SQL are descended."""
        from py4j.java_gateway import is_instance_of  # type: ignore[import-untyped] # noqa: PLC0415

        if self._loader is None:
            gateway = self.context._gateway  # noqa: SLF001
            loader = self.jvm.java.lang.Thread.currentThread().getContextClassLoader()
            while not is_instance_of(gateway, loader, _LOADER):
                loader = loader.getParent()
            self._loader = loader
        return self._loader

    def _load(self, path: str, context: Any) -> None:
        """Have the driver find an archive's classes: Spark itself sees to the executors alone."""
        jvm = self.jvm
        target = jvm.java.io.File(os.environ["TMPDIR"])
        hadoop = context._jsc.hadoopConfiguration()  # noqa: SLF001
        conf = context._jsc.sc().conf()  # noqa: SLF001
        # What is not a local file is fetched.
        local = jvm.org.apache.spark.util.DependencyUtils.downloadFile(path, target, conf, hadoop)
        file = jvm.java.io.File(jvm.org.apache.spark.util.Utils.resolveURI(local))
        if not zipfile.is_zipfile(str(file.getPath())):
            raise ValueError(f"{file.getName()} is not an archive of classes: a jar is a zip file.")
        self.loader.addURL(file.toURI().toURL())

    def _current(self) -> Any:
        from pyspark import SparkContext  # noqa: PLC0415

        context = SparkContext._active_spark_context  # noqa: SLF001
        return context if context is not None and context._jsc is not None else None  # noqa: SLF001

    @staticmethod
    def _stages(context: Any, group: str, *, finished: bool = False) -> Any:
        """What Spark knows of a group's stages: those of jobs at work, or of the `finished` as well."""
        tracker = context.statusTracker()
        for job_id in tracker.getJobIdsForGroup(group):
            job = tracker.getJobInfo(job_id)
            if job is None or not (finished or job.status in {"RUNNING", "UNKNOWN"}):
                continue
            for stage_id in job.stageIds:
                stage = tracker.getStageInfo(stage_id)
                if stage is not None:
                    yield stage


def take_interrupts(handler: Any) -> None:
    """Have SIGINT call `handler`. To be called after `join`: PySpark sets a handler of its own."""
    signal.signal(signal.SIGINT, handler)


def _address(file: Path, patience: float) -> tuple[int, str]:
    """Port and secret of the gateway, as Spark's `PythonGatewayServer` writes them."""
    deadline = time.monotonic() + patience
    while time.monotonic() < deadline:
        try:
            said = file.read_bytes()
        except FileNotFoundError:
            time.sleep(_LOOK)
            continue
        size = int.from_bytes(said[4:8], "big")
        return int.from_bytes(said[:4], "big"), said[8 : 8 + size].decode()
    raise TimeoutError(f"the JVM has not started within {patience:.0f} seconds")
