"""The companion: our code in a JVM, compiled by the compiler that comes with Spark: what drivers are
started by (`Drivers.scala`), and the file system for cluster storage."""

import hashlib
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from headland.jobs.clusters.filesystem import SERVICES
from headland.jobs.clusters.filesystem import SOURCES as FILE_SYSTEM
from headland.jobs.clusters.java import Toolchain
from headland.jobs.clusters.scala import compiler_command, has_compiler
from headland.jobs.clusters.startup import MadeFile, archives_key
from headland.jobs.runner.run_directory import RunDirectory

_DRIVERS_SOURCE = Path(__file__).with_name("Drivers.scala")
SOURCES = (_DRIVERS_SOURCE, *FILE_SYSTEM)

#: An application that does a little of everything; its argument is a folder that is not there yet.
TRAINING = "org.apache.spark.headland.Training"

#: Runs an application, as Spark's own class does.
DRIVER = "org.apache.spark.headland.Driver"

#: Runs the training application, then the one whose arguments it is given.
WARM_DRIVER = "org.apache.spark.headland.WarmDriver"


@dataclass(slots=True)
class Companion:
    """The companion's archive for one Spark."""

    tools: Toolchain
    file: MadeFile

    @classmethod
    def of(cls, tools: Toolchain, folder: Path) -> "Companion | None":
        """None where this Spark comes without a compiler."""
        if not has_compiler(tools.spark_home):
            return None
        return cls(tools, MadeFile(folder, "companion", archives_key(tools, _digest(*SOURCES)), ".jar"))

    def adopt(self, made: Path) -> None:
        """Keep an archive that was just made.

        Raises:
            OSError: there is none.
        """
        if made.is_file():
            with zipfile.ZipFile(made, "a") as archive:
                for service, provider in SERVICES.items():
                    archive.writestr(f"META-INF/services/{service}", f"{provider}\n")
        self.file.adopt(made)

    def making(self, folder: Path) -> list[str]:
        """Arguments of Java that make it in `folder`, under the name `made`."""
        return compiler_command(self.tools.java, self.tools.spark_home, SOURCES, folder / "made.jar")[1:]


def training(
    companion: Path, directory: RunDirectory, lasting: Mapping[str, str], *, sessions: bool = False
) -> list[str]:
    """Arguments of SparkSubmit that run the training application, which leaves nothing outside the temporary folder
    of `directory`. Of the configuration it gets what is `lasting`. With `sessions` it touches what these need besides,
    Scala's compiler among it.
    """
    # What an installation sets for its applications is none of this one's business.
    nothing = directory.path / "none.properties"
    nothing.touch(mode=0o600)
    folder = directory.temporary / "training"
    folder.mkdir(mode=0o700)
    conf = {
        "spark.driver.host": "localhost",
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.ui.enabled": "false",
        "spark.eventLog.enabled": "true",
        "spark.eventLog.dir": folder.as_uri(),
        "spark.sql.warehouse.dir": (folder / "warehouse").as_uri(),
        **lasting,
    }
    return [
        *("--master", "local[2]"),
        *("--properties-file", str(nothing)),
        *("--class", TRAINING),
        *(part for key, value in conf.items() for part in ("--conf", f"{key}={value}")),
        str(companion),
        # Without a scheme it would be on cluster storage.
        (folder / "data").as_uri(),
        *(["sessions"] if sessions else []),
    ]


def training_digest() -> str:
    """Changes with what the training application does."""
    return _digest(_DRIVERS_SOURCE)


def _digest(*sources: Path) -> str:
    seen = hashlib.sha256()
    for source in sources:
        seen.update(f"{source.name} {source.stat().st_size}\n".encode() + source.read_bytes())
    return seen.hexdigest()
