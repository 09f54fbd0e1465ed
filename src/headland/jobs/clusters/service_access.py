"""What a job is told of the service, so that its code calls farm, storage and control without configuration."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import msgspec

from headland.jobs.runner.run_directory import RunDirectory
from headland.security import Principal


class ReadableInstance(msgspec.Struct, frozen=True):
    """An instance of the farm service on whose data whoever submitted a job has a role."""

    name: str
    #: Its resource id.
    id: str
    #: Where the farm service has it.
    endpoint: str


def _none(_submitter: Principal) -> Sequence[ReadableInstance]:
    return ()


def _not(_submitter: Principal) -> bool:
    return False


@dataclass(frozen=True, slots=True)
class ServiceAccess:
    """The service as the jobs of one deployment reach it."""

    #: The public base.
    url: str
    #: Certificates to trust, the system's and the deployment's own: in PEM, and as Java's trust store (PKCS #12).
    ca_bundle: Path
    trust_store: Path
    #: Where runners ask for tokens; None where jobs have no identity.
    token_socket: str | None = None
    #: Seconds that a token may wait for a service that is away.
    patience: float = 60.0
    instances: Callable[[Principal], Sequence[ReadableInstance]] = field(default=_none)
    #: Whether somebody administers the deployment.
    administers: Callable[[Principal], bool] = field(default=_not)

    @property
    def endpoint(self) -> dict[str, object] | None:
        """What a runner is told of its job's token endpoint."""
        if self.token_socket is None:
            return None
        return {"service": self.token_socket, "patience": self.patience}

    def environment(self, directory: RunDirectory) -> dict[str, str]:
        """Variables of a job's processes."""
        return {
            "HEADLAND_URL": self.url,
            "HEADLAND_INSTANCES": str(directory.instances),
            # Python's `ssl`, OpenSSL and httpx; `requests`; Node.js, which adds these to its own.
            "SSL_CERT_FILE": str(self.ca_bundle),
            "REQUESTS_CA_BUNDLE": str(self.ca_bundle),
            "NODE_EXTRA_CA_CERTS": str(self.ca_bundle),
        }

    def java_options(self) -> list[str]:
        """Options of a job's JVM; those of the job's own come later and count."""
        return [
            f"-Djavax.net.ssl.trustStore={self.trust_store}",
            "-Djavax.net.ssl.trustStoreType=PKCS12",
        ]

    def instances_text(self, submitter: Principal | None) -> str:
        """What a job's file of instances says.

        Raises:
            DatabaseUnavailableError: they can't be looked up now.
        """
        found = self.instances(submitter) if submitter is not None and not submitter.issuer else ()
        return msgspec.json.encode(list(found)).decode()
