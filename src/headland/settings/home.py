"""The home: the one folder that holds all of a Headland's state."""

import os
from dataclasses import dataclass
from pathlib import Path

import platformdirs


@dataclass(frozen=True, slots=True)
class Home:
    """Paths below the home folder. Nothing here touches the disk.

    The folder is made with mode 700: database, signing keys and run directories are its owner's alone.
    """

    path: Path

    @classmethod
    def default(cls) -> "Home":
        """`HEADLAND_HOME`, else the platform's folder for a user's application data."""
        named = os.environ.get("HEADLAND_HOME")
        return cls(Path(named).expanduser().absolute() if named else platformdirs.user_data_path("headland"))

    @property
    def settings_file(self) -> Path:
        return self.path / "headland.toml"

    @property
    def id_file(self) -> Path:
        """What the home is known by where it is one of several; it goes with it wherever it is moved."""
        return self.path / "id"

    @property
    def database(self) -> Path:
        return self.path / "headland.db"

    @property
    def tls(self) -> Path:
        return self.path / "tls"

    @property
    def ca_certificate(self) -> Path:
        """The local CA's certificate, which clients are told to trust."""
        return self.tls / "ca.pem"

    @property
    def trust(self) -> Path:
        """What jobs are told to trust."""
        return self.path / "trust"

    @property
    def ca_bundle(self) -> Path:
        """The system's certificates and the deployment's own, in PEM."""
        return self.trust / "ca-bundle.pem"

    @property
    def trust_store(self) -> Path:
        """The same for Java."""
        return self.trust / "trust-store.p12"

    @property
    def storage(self) -> Path:
        """Local storage accounts, a folder each, unless the settings place them elsewhere."""
        return self.path / "storage"

    @property
    def batches(self) -> Path:
        """Run directories of batches."""
        return self.path / "batches"

    @property
    def sessions(self) -> Path:
        """Run directories of sessions."""
        return self.path / "sessions"

    @property
    def farm(self) -> Path:
        """Stores of instances, a folder each."""
        return self.path / "farm"

    @property
    def files(self) -> Path:
        """Files that belong to documents of instances, unless the settings place them elsewhere."""
        return self.path / "files"

    @property
    def receiving(self) -> Path:
        """A locked file for each process that is receiving files."""
        return self.runtime / "receiving"

    @property
    def units(self) -> Path:
        """What instances' requests have used of late, a file each."""
        return self.runtime / "units"

    @property
    def pending(self) -> Path:
        """Names the instances for which something is to be done beside their requests."""
        return self.path / "pending"

    @property
    def deployer_lock(self) -> Path:
        """Held by whoever lays out or removes stores of instances."""
        return self.runtime / "deployer.lock"

    @property
    def cache(self) -> Path:
        """What was made to start applications faster; it may be removed, and is made again."""
        return self.path / "cache"

    @property
    def environments(self) -> Path:
        """Installed packages of jobs' environments, a folder each."""
        return self.path / "environments"

    @property
    def packages(self) -> Path:
        """Java packages that jobs have had brought (`spark.jars.packages`), a folder each owner."""
        return self.cache / "packages"

    @property
    def runtime(self) -> Path:
        """Locks, sockets and metrics of the running processes; of no value once they are gone."""
        return self.path / "run"

    @property
    def address(self) -> Path:
        """The public URL of the service that was started last; commands on this machine call it."""
        return self.runtime / "address"

    @property
    def controller_lock(self) -> Path:
        return self.runtime / "controller.lock"

    @property
    def controller_socket(self) -> Path:
        return self.runtime / "controller.sock"

    @property
    def token_socket(self) -> Path:
        """Where runners ask for tokens of their jobs."""
        return self.runtime / "tokens.sock"

    @property
    def history(self) -> Path:
        """The folder of Spark's History Server, while somebody looks."""
        return self.runtime / "history"

    @property
    def metrics(self) -> Path:
        return self.runtime / "metrics"
