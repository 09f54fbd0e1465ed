"""Kubernetes: driver pods that Spark's own submission makes, and what the API server says of them.

Experimental: written by Kubernetes' and Spark's documentation, and not yet run against a cluster.
https://kubernetes.io/docs/reference/kubernetes-api/workload-resources/pod-v1/ and
https://spark.apache.org/docs/latest/running-on-kubernetes.html. REST as it is, not the official client: that
brings a dozen packages, for four requests.
"""

import re
import ssl
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import TypeVar
from urllib.parse import quote, urlencode

import msgspec

from headland.jobs.batches.submission import Submission
from headland.jobs.clusters.exchange import LARGEST, exchange, pieces
from headland.jobs.clusters.kind import Kind, Terms, driver_here
from headland.jobs.clusters.manager import Application, ManagerUnreachableError, Phase, tag_of
from headland.jobs.runner.run_directory import RunDirectory
from headland.settings import JobsSettings

_Answer = TypeVar("_Answer")

#: Label of a driver pod that carries the tag.
LABEL = "headland-run"

#: What Spark calls the driver's container.
CONTAINER = "spark-kubernetes-driver"

#: Where a pod finds the credentials of its service account.
_ACCOUNT = Path("/var/run/secrets/kubernetes.io/serviceaccount")


class Terminated(msgspec.Struct, frozen=True, rename="camel"):
    """The end of a container."""

    exit_code: int
    reason: str = ""
    message: str = ""
    finished_at: str | None = None


class ContainerState(msgspec.Struct, frozen=True):
    """A container's state, as far as it matters here."""

    terminated: Terminated | None = None


class ContainerStatus(msgspec.Struct, frozen=True):
    """A container and its state."""

    name: str
    state: ContainerState = ContainerState()


class PodStatus(msgspec.Struct, frozen=True, rename="camel"):
    """A pod's status."""

    phase: str = "Pending"
    reason: str = ""
    message: str = ""
    start_time: str | None = None
    container_statuses: list[ContainerStatus] = []


class PodMetadata(msgspec.Struct, frozen=True):
    """A pod's name and labels."""

    name: str
    labels: dict[str, str] = {}


class PodSpec(msgspec.Struct, frozen=True, rename="camel"):
    """Where a pod runs."""

    node_name: str | None = None


class Pod(msgspec.Struct, frozen=True):
    """A pod, as the API server shows it."""

    metadata: PodMetadata
    status: PodStatus = PodStatus()
    spec: PodSpec = PodSpec()

    @property
    def driver_end(self) -> Terminated | None:
        """How the driver's container ended, if it has."""
        found = (each.state.terminated for each in self.status.container_statuses if each.name == CONTAINER)
        return next(found, None)


class _Pods(msgspec.Struct, frozen=True):
    items: list[Pod]


def phase_of(pod: Pod) -> Phase:
    """The driver's own exit code goes before the pod's phase: other containers in the pod may outlive it."""
    end = pod.driver_end
    if end is not None:
        return Phase.SUCCEEDED if end.exit_code == 0 else Phase.FAILED
    phases = {"Pending": Phase.WAITING, "Succeeded": Phase.SUCCEEDED, "Failed": Phase.FAILED}
    # `Unknown` is a node that does not answer: the driver may well be at work on it.
    return phases.get(pod.status.phase, Phase.RUNNING)


def application_of(pod: Pod, log_url: str) -> Application:
    """A driver pod as an application."""
    end = pod.driver_end
    said = [pod.status.reason, pod.status.message]
    if end is not None:
        said += [end.reason, end.message, f"exit code {end.exit_code}" if end.exit_code else ""]
    return Application(
        handle=pod.metadata.name,
        phase=phase_of(pod),
        app_id=pod.metadata.labels.get("spark-app-selector"),
        driver_log_url=log_url,
        host=pod.spec.node_name,
        started_at=_milliseconds(pod.status.start_time),
        finished_at=_milliseconds(end.finished_at if end else None),
        diagnostics=": ".join(part.strip() for part in said if part.strip()),
    )


class KubernetesManager:
    """The API server, for one namespace."""

    def __init__(self, api: str, namespace: str, token_file: Path | None, ca_file: Path | None) -> None:
        """The address is without a slash at the end. The token is read anew for each request: it changes.

        Raises:
            OSError: the CA's file can't be read.
        """
        self._pods = f"{api}/api/v1/namespaces/{quote(namespace)}/pods"
        self._token_file = token_file
        self._tls = ssl.create_default_context(cafile=ca_file) if api.startswith("https:") else None

    def find(self, tag: str, handle: str | None) -> Application | None:
        """The pod of that name or label; None as well where the name is another application's by now."""
        if handle is not None:
            answer = self._ask(self._pod(handle))
            pod = None if answer is None else _decode(answer, Pod)
        else:
            pod = next(iter(self._labelled(f"spark-role=driver,{LABEL}={tag}")), None)
        if pod is None or pod.metadata.labels.get(LABEL) != tag:
            return None
        return application_of(pod, self._log(pod.metadata.name))

    def clear_away(self, tag: str) -> None:
        """Delete its executors' pods: those of a driver outside the cluster are owned by no other pod."""
        for pod in self._labelled(f"{LABEL}={tag}"):
            self._ask(self._pod(pod.metadata.name), "DELETE")

    def kill(self, application: Application) -> None:
        """Delete the pod, and with it its executors, which it owns, and its log."""
        self._ask(self._pod(application.handle), "DELETE")

    def driver_log(self, application: Application) -> Iterator[bytes]:
        """Output and errors, as they came."""
        with exchange(self._log(application.handle), headers=self._headers(), tls=self._tls) as answer:
            # 400 is a container that never started.
            if answer.status in {400, 404}:
                yield f"(The driver's log can't be shown: pod {application.handle} has none.)\n".encode()
            elif answer.status == 200:
                yield from pieces(answer)
            else:
                raise ManagerUnreachableError(f"log of {application.handle}: HTTP status {answer.status}")

    def _labelled(self, selector: str) -> list[Pod]:
        answer = self._ask(f"{self._pods}?{urlencode({'labelSelector': selector})}")
        return _decode(answer, _Pods).items if answer is not None else []

    def _pod(self, name: str) -> str:
        return f"{self._pods}/{quote(name)}"

    def _log(self, name: str) -> str:
        return f"{self._pod(name)}/log?container={CONTAINER}"

    def _headers(self) -> dict[str, str]:
        if self._token_file is None:
            return {}
        try:
            return {"Authorization": f"Bearer {self._token_file.read_text().strip()}"}
        except OSError as error:
            raise ManagerUnreachableError(f"no token: {error}") from error

    def _ask(self, url: str, method: str = "GET") -> bytes | None:
        """The API server's answer; None for 404."""
        with exchange(url, method, headers=self._headers(), tls=self._tls) as answer:
            if answer.status == 404:
                return None
            said = answer.read(LARGEST)
            if answer.status not in {200, 202}:
                raise ManagerUnreachableError(f"{url}: HTTP status {answer.status}: {said[:200]!r}")
            return said


def _decode(said: bytes, shape: type[_Answer]) -> _Answer:
    try:
        return msgspec.json.decode(said, type=shape)
    except msgspec.DecodeError as error:
        raise ManagerUnreachableError(f"not an API server's answer ({error}): {said[:80]!r}") from None


def _milliseconds(time: str | None) -> int | None:
    return None if time is None else int(datetime.fromisoformat(time).timestamp() * 1000)


def _api(master: str) -> str:
    address = master.removeprefix("k8s://").rstrip("/")
    # As Spark reads a master that does not say how it is to be spoken to.
    return address if "://" in address else f"https://{address}"


def _manager(settings: JobsSettings, master: str) -> KubernetesManager:
    token = Path(settings.kubernetes_token_file) if settings.kubernetes_token_file else _ACCOUNT / "token"
    ca = Path(settings.kubernetes_ca_file) if settings.kubernetes_ca_file else _ACCOUNT / "ca.crt"
    return KubernetesManager(
        _api(master),
        settings.kubernetes_namespace,
        token if settings.kubernetes_token_file or token.exists() else None,
        ca if settings.kubernetes_ca_file or ca.exists() else None,
    )


def _terms(settings: JobsSettings, submission: Submission, directory: RunDirectory) -> Terms:
    demands = {"spark.kubernetes.namespace": settings.kubernetes_namespace}
    tag = tag_of(directory.path.name)
    if submission.deploy_mode == "client":
        demands[f"spark.kubernetes.executor.label.{LABEL}"] = tag
        return Terms(submission.master, driver_here(directory, [_api(submission.master)]), demands)
    return Terms(
        submission.master,
        {},
        demands={
            **demands,
            f"spark.kubernetes.driver.label.{LABEL}": tag,
            "spark.kubernetes.submission.waitAppCompletion": "false",
        },
    )


KUBERNETES = Kind(
    "k8s",
    re.compile(r"k8s://\S+"),
    ("client", "cluster"),
    _terms,
    _manager,
    re.compile(r"submission ID [^\s:]+:(\S+) into Kubernetes"),
    # Its images have not the archive by which paths could mean cluster storage.
    own_file_system=True,
)
