"""Kubernetes, as far as it goes without one: pods as its documentation shows them, and what Spark is told."""

import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import unquote

import msgspec
import pytest

from headland.jobs.batches.submission import Submission
from headland.jobs.clusters.cluster import Clusters, kind_of
from headland.jobs.clusters.java import Toolchain
from headland.jobs.clusters.kubernetes import KUBERNETES, KubernetesManager, Pod, application_of, phase_of
from headland.jobs.clusters.manager import Application, ManagerUnreachableError, Phase
from headland.jobs.runner.run_directory import RunDirectory
from headland.settings import JobsSettings

KEY = "0123456789abcdef0123456789abcdef"


def pod(phase: str, *containers: dict[str, object], **status: object) -> Pod:
    document = {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {
            "name": "harvest-driver",
            "labels": {
                "headland-run": f"headland-{KEY}",
                "spark-app-selector": "spark-1",
                "spark-role": "driver",
            },
        },
        "spec": {"nodeName": "node-7", "containers": []},
        "status": {"phase": phase, "containerStatuses": list(containers), **status},
    }
    return msgspec.convert(document, Pod)


def ended(exit_code: int, name: str = "spark-kubernetes-driver", **more: str) -> dict[str, object]:
    return {"name": name, "ready": False, "state": {"terminated": {"exitCode": exit_code, **more}}}


RUNNING = {
    "name": "spark-kubernetes-driver",
    "state": {"running": {"startedAt": "2026-11-21T15:00:00Z"}},
}


@pytest.mark.parametrize(
    ("seen", "phase"),
    [
        (pod("Pending"), Phase.WAITING),
        (pod("Running", RUNNING), Phase.RUNNING),
        (pod("Unknown", RUNNING), Phase.RUNNING),
        (pod("Succeeded", ended(0)), Phase.SUCCEEDED),
        (pod("Failed", ended(1)), Phase.FAILED),
        (pod("Failed", reason="Evicted"), Phase.FAILED),
        # A sidecar goes on, or ended otherwise: the driver's own end counts.
        (pod("Running", ended(0), {"name": "proxy", "state": {"running": {}}}), Phase.SUCCEEDED),
        (pod("Running", ended(3)), Phase.FAILED),
        (pod("Failed", ended(0), ended(137, "proxy")), Phase.SUCCEEDED),
        (pod("Running", RUNNING, ended(1, "proxy")), Phase.RUNNING),
    ],
)
def test_phases(seen: Pod, phase: Phase):
    assert phase_of(seen) is phase


def test_what_is_known_of_a_pod():
    end = ended(137, reason="OOMKilled", finishedAt="2026-11-21T15:01:00Z")
    seen = pod("Failed", end, startTime="2026-11-21T15:00:00Z", message="The node was low on memory.")
    assert application_of(seen, "https://api/log") == Application(
        handle="harvest-driver",
        phase=Phase.FAILED,
        app_id="spark-1",
        driver_log_url="https://api/log",
        host="node-7",
        started_at=1795273200000,
        finished_at=1795273260000,
        diagnostics="The node was low on memory.: OOMKilled: exit code 137",
    )


def test_an_api_server_that_is_not_there_says_nothing_about_a_batch(tmp_path: Path):
    token = tmp_path / "token"
    manager = KubernetesManager("http://127.0.0.1:9", "farm", token, None)
    with pytest.raises(ManagerUnreachableError, match="no token"):
        manager.find(f"headland-{KEY}", None)
    token.write_text("secret\n")
    for ask in (
        lambda: manager.find(f"headland-{KEY}", "harvest-driver"),
        lambda: manager.kill(Application("harvest-driver", Phase.RUNNING)),
        lambda: list(manager.driver_log(Application("harvest-driver", Phase.RUNNING))),
    ):
        with pytest.raises(ManagerUnreachableError, match=r"127\.0\.0\.1:9"):
            ask()


def test_the_executors_of_a_driver_outside_are_labelled_and_cleared_away(tmp_path: Path):
    """Driver pods own their executors; a driver outside the cluster leaves its own behind when it is killed."""
    asked: list[tuple[str, str]] = []

    class Api(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.told({"items": [{"metadata": {"name": f"exec-{number}"}} for number in (1, 2)]})

        def do_DELETE(self) -> None:
            self.told({})

        def told(self, document: object) -> None:
            asked.append((self.command, unquote(self.path)))
            body = msgspec.json.encode(document)
            self.send_response(200)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None: ...

    with ThreadingHTTPServer(("127.0.0.1", 0), Api) as api:
        threading.Thread(target=api.serve_forever, args=(0.01,)).start()
        master = f"k8s://http://127.0.0.1:{api.server_port}"
        settings = JobsSettings(master=master, kubernetes_namespace="farm")
        clusters = Clusters(settings, Toolchain(Path("/java/bin/java"), Path("/spark")))
        run, session = RunDirectory(tmp_path / KEY), Submission("pyspark-shell")
        (text,) = clusters.plan(session, "session-7", run).files.values()
        clusters.clear_away(session, run)
        api.shutdown()
    arguments = [line.strip('"') for line in text.splitlines()]
    assert {
        f"spark.kubernetes.executor.label.headland-run=headland-{KEY}",
        "spark.driver.host=127.0.0.1",
    } <= set(arguments)
    pods = "/api/v1/namespaces/farm/pods"
    assert asked == [
        ("GET", f"{pods}?labelSelector=headland-run=headland-{KEY}"),
        *(("DELETE", f"{pods}/exec-{number}") for number in (1, 2)),
    ]


def test_cluster_mode_labels_the_driver_and_does_not_wait(tmp_path: Path):
    settings = JobsSettings(
        master="k8s://https://api:6443", deploy_mode="cluster", kubernetes_namespace="farm"
    )
    clusters = Clusters(settings, Toolchain(Path("/java/bin/java"), Path("/spark")))
    conf = {"spark.kubernetes.namespace": "kube-system"}
    launch = clusters.plan(
        Submission("local:///opt/app.jar", "demo.App", conf=conf), "batch-7", RunDirectory(tmp_path / KEY)
    )
    (text,) = launch.files.values()
    arguments = [line.strip('"') for line in text.splitlines()]
    assert {
        f"spark.kubernetes.driver.label.headland-run=headland-{KEY}",
        "spark.kubernetes.submission.waitAppCompletion=false",
        "spark.kubernetes.namespace=farm",
    } <= set(arguments)
    assert arguments[arguments.index("--master") + 1] == "k8s://https://api:6443"


def test_the_pod_is_what_the_submitter_says():
    said = "Deployed Spark application h with application ID spark-1 and submission ID farm:h-driver into Kubernetes"
    assert kind_of("k8s://https://api:6443") is KUBERNETES
    assert KUBERNETES.handle.search(said)[1] == "h-driver"
