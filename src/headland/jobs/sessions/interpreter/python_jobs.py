"""Jobs of Livy's Python client library: functions, pickled by cloudpickle, that take a context and return a value."""

import importlib.util
import pickle
import sys
import tempfile
import threading
import warnings
from typing import Any

from headland.jobs.sessions.interpreter.spark import Application


class JobContext:
    """What a job is given, with the names of the library's own abstract class. One for all jobs of a session."""

    def __init__(self, application: Application) -> None:
        self._application = application
        self._lock = threading.RLock()
        self._names = application.names()
        self._hive: Any = None
        self._streaming: Any = None
        self._folder: str | None = None
        self._shared: dict[str, Any] = {}

    @property
    def sc(self) -> Any:
        return self._names["sc"]

    @property
    def sql_ctx(self) -> Any:
        return self._names["sqlContext"]

    @property
    def spark_session(self) -> Any:
        return self._names["spark"]

    @property
    def hive_ctx(self) -> Any:
        from pyspark.sql import HiveContext  # noqa: PLC0415 - few ask

        with self._lock, warnings.catch_warnings():
            warnings.simplefilter("ignore")
            self._hive = self._hive or HiveContext(self.sc)
            return self._hive

    @property
    def streaming_ctx(self) -> Any:
        """Raises ValueError where none has been created."""
        with self._lock:
            if self._streaming is None:
                raise ValueError("create_streaming_ctx function should be called first")
            return self._streaming

    def create_streaming_ctx(self, batch_duration: float) -> None:
        """`batch_duration` counts seconds. Raises ValueError where there is one."""
        from pyspark.streaming import StreamingContext  # noqa: PLC0415

        with self._lock, warnings.catch_warnings():
            warnings.simplefilter("ignore")
            if self._streaming is not None:
                raise ValueError("Streaming context already exists")
            self._streaming = StreamingContext(self.sc, batch_duration)

    def stop_streaming_ctx(self) -> None:
        """Raises ValueError where there is none."""
        with self._lock:
            if self._streaming is None:
                raise ValueError("Cannot stop streaming context. Streaming context is None")
            self._streaming.stop(stopSparkContext=False)
            self._streaming = None

    @property
    def local_tmp_dir_path(self) -> str:
        """A folder that goes with the session."""
        with self._lock:
            self._folder = self._folder or tempfile.mkdtemp()
            return self._folder

    def get_shared_object(self, name: str) -> Any:
        """What an earlier job has left under a name; None where there is nothing."""
        return self._shared.get(name)

    def set_shared_object(self, name: str, value: Any) -> None:
        self._shared[name] = value

    def remove_shared_object(self, name: str) -> None:
        self._shared.pop(name, None)


class PythonJobs:
    """Runs jobs."""

    def __init__(self, application: Application | None) -> None:
        if application is None:
            raise ValueError("there is no Spark application")
        from pyspark import cloudpickle  # noqa: PLC0415

        # What the library pickles names the module as it is installed at the client's.
        if importlib.util.find_spec("cloudpickle") is None:
            sys.modules["cloudpickle"] = cloudpickle
            sys.modules["cloudpickle.cloudpickle"] = cloudpickle.cloudpickle
        self._pickle = cloudpickle.dumps
        self._context = JobContext(application)

    def run(self, serialized: bytes) -> bytes:
        """What a job returns, pickled. Raises whatever it raises."""
        job = pickle.loads(serialized)  # noqa: S301 - it is code, which is what a session is for
        result: bytes = self._pickle(job(self._context))
        return result
