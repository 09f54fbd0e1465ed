"""What makes `wasbs://` and its like mean cluster storage in a Spark application: an archive and configuration."""

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from headland.jobs.clusters.kind import PACKAGE, Kind, Terms
from headland.jobs.clusters.startup import MadeFile
from headland.jobs.runner.processes import boot_id
from headland.settings import DeployMode
from headland.storage import Storage

#: What the file system is made of.
SOURCES = tuple(sorted(Path(__file__).parent.glob("*.scala")))

#: Schemes of cluster storage: those of Hadoop's drivers for Azure, of which applications have URLs in them.
SCHEMES = ("wasbs", "wasb", "abfs", "abfss")

#: What Spark finds by the name of an interface (Java's ServiceLoader).
SERVICES = {"org.apache.spark.security.HadoopDelegationTokenProvider": f"{PACKAGE}.TokenProvider"}


#: How Spark configuration begins that says where an account's folder is.
_FOLDER = "spark.hadoop.fs.headland.folder."


class NotReadyError(Exception):
    """An application can't be started yet. The message says what it waits for."""


@dataclass(frozen=True, slots=True)
class StorageAccess:
    """How applications reach cluster storage."""

    #: Has the file system's classes.
    archive: MadeFile
    #: Spark configuration that names it, and tells it where accounts are.
    conf: Mapping[str, str]
    #: What paths without a scheme mean; None for files of whatever machine a process is on.
    default_url: str | None = None

    @property
    def path(self) -> Path:
        """Where the archive is.

        Raises:
            NotReadyError: it is still to be made.
        """
        path = self.archive.path
        if path is None:
            raise NotReadyError("the archive by which Spark reads cluster storage is being made")
        return path

    @property
    def folders(self) -> list[Path]:
        """Those of this machine that are accounts: applications on it read and write there themselves."""
        return [Path(value) for key, value in self.conf.items() if key.startswith(_FOLDER)]

    def conf_of(self, kind: Kind) -> dict[str, str]:
        """Spark configuration for a cluster of a kind."""
        if self.default_url is None or kind.own_file_system:
            return dict(self.conf)
        return {**self.conf, "spark.hadoop.fs.defaultFS": self.default_url}

    def added(self, terms: Terms, kind: Kind, mode: DeployMode, conf: Mapping[str, str]) -> Terms:
        """`terms` with what makes drivers and executors find file system and accounts; `conf` is what request and
        settings say.

        Raises:
            NotReadyError: as `path`.
        """
        shipped = kind.shipping(self.path, mode, conf)
        return dataclasses.replace(
            terms,
            defaults={**self.conf_of(kind), **terms.defaults},
            demands={**shipped, **terms.demands},
        )


def storage_conf(storage: Storage, public_url: str, authority: Path | None = None) -> dict[str, str]:
    """Spark configuration for the accounts of a deployment, whose storage service is at its public base; `authority` is
    the certificate, in PEM, of who has signed that one's, where the deployment itself has.
    """
    conf = {
        # For what is not a folder of the machine that a driver or executor is on.
        "fs.headland.service": f"{public_url}/storage",
        "fs.headland.service.resource": public_url,
        "fs.headland.default.account": storage.default_account,
        "fs.headland.default.container": storage.default_container,
        # Folders are this machine's: the same path elsewhere is another folder.
        "fs.headland.machine": boot_id(),
    }
    for scheme in SCHEMES:
        conf[f"fs.{scheme}.impl"] = f"{PACKAGE}.ClusterFileSystem"
        conf[f"fs.AbstractFileSystem.{scheme}.impl"] = f"{PACKAGE}.ClusterFiles"
    for place in storage.places:
        if place.kind == "folder":
            conf[f"fs.headland.folder.{place.name}"] = place.location
    if authority is not None:
        conf["fs.headland.service.authorities"] = _der(authority)
    return {f"spark.hadoop.{key}": value for key, value in conf.items()}


def _der(certificate: Path) -> str:
    """A certificate's bytes, in base 64."""
    lines = certificate.read_text("ascii").split("-----BEGIN CERTIFICATE-----")[1]
    return "".join(lines.partition("-----END CERTIFICATE-----")[0].split())
