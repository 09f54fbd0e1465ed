"""What is asked to be run, checked and in one form: the record that a batch's row keeps."""

import msgspec

from headland.settings import DeployMode

#: What Spark has in the place of an archive for an application that is told what to do as it goes.
SHELL = "pyspark-shell"


class Submission(msgspec.Struct, frozen=True, omit_defaults=True):
    """A request that passed every check. Paths are as the caller wrote them; staging comes later."""

    file: str
    class_name: str | None = None
    args: tuple[str, ...] = ()
    jars: tuple[str, ...] = ()
    py_files: tuple[str, ...] = ()
    files: tuple[str, ...] = ()
    archives: tuple[str, ...] = ()
    driver_memory: str | None = None
    driver_cores: int | None = None
    executor_memory: str | None = None
    executor_cores: int | None = None
    num_executors: int | None = None
    queue: str | None = None
    name: str | None = None
    proxy_user: str | None = None
    conf: dict[str, str] = {}
    #: Digest of the content of its environment; empty for the deployment's own Python.
    environment: str = ""
    #: Where it runs, as was decided when it was accepted; empty in what was accepted before that was kept.
    master: str = ""
    deploy_mode: DeployMode = "client"

    @property
    def python(self) -> bool:
        """Whether the file is a Python program, by its ending, as Spark tells them apart."""
        return self.file.endswith(".py")

    @property
    def paths(self) -> list[str]:
        """Every path that the application is made of, the file first."""
        file = [] if self.file == SHELL else [self.file]
        return [*file, *self.jars, *self.py_files, *self.files, *self.archives]


def encode(submission: Submission) -> bytes:
    return msgspec.json.encode(submission)


def decode(row: bytes) -> Submission:
    return msgspec.json.decode(row, type=Submission)


def canonical(submission: Submission) -> bytes:
    """The same bytes for the same submission, in whatever order its configuration came."""
    return msgspec.json.encode(submission, order="deterministic")
