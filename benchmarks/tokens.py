"""Issuing tokens over HTTPS, beside bare RSA signatures on the same core: per second of its time, each."""

import json
import re
import shutil
import subprocess
import sys
import time
from contextlib import ExitStack, closing
from functools import partial
from http.client import HTTPConnection
from pathlib import Path
from urllib.parse import urlencode, urlsplit

from benchmarks.harness import (
    Aim,
    Benchmark,
    BenchmarkError,
    Row,
    SkippedError,
    Yardstick,
    interleaved,
    quantile,
    row,
)
from benchmarks.loading import Target, ask, rate_per_core
from benchmarks.processors import kept_to, one
from benchmarks.serving import folder, headland
from benchmarks.submitting import archive, await_running, idle_java

ROUNDS = 5
SECONDS = 1.5

#: Tokens of a job that a round asks for.
COUNT = 100

AIM = Aim(least=0.6)
JOB_AIM = Aim(measured_most=5.0)
YARDSTICK = "openssl speed rsa2048"

#: `rsa 2048 bits 0.000295s 0.000017s   3394.1  61969.3`: seconds each, then signatures and verifications a second.
_SPEED = re.compile(r"^rsa *2048 bits +\S+s +\S+s +(\d+(?:\.\d+)?)", re.MULTILINE)


def issue_tokens() -> list[Row]:
    """One worker process that authenticates the client, reads the database, signs and answers over TLS; the signatures
    beside it are made on the same core.
    """
    core = one()
    with folder() as within, ExitStack() as serving:
        with kept_to(core):
            served = serving.enter_context(headland(within, server_services="identity"))
        token = Target(
            served.port,
            "POST",
            served.token_path,
            {"Content-Type": "application/x-www-form-urlencoded"},
            urlencode(served.token_form).encode(),
            ca=str(served.home / "tls" / "ca.pem"),
        )

        # The drivers run wherever there is room: a server that waits for them takes longer for each request.
        tokens = partial(rate_per_core, token, served.pid, SECONDS)

        def signatures() -> float:
            with kept_to(core):
                return _signatures()

        # Python takes a while to find out what it does often.
        tokens()
        ours, theirs = interleaved(ROUNDS, tokens, signatures)
        return [row("POST a token request", "tokens/s a core", ours, Yardstick(YARDSTICK, theirs), AIM)]


def _signatures() -> float:
    """RSA-2048 signatures a second of one core's time, as OpenSSL's own benchmark takes it.

    Raises:
        SkippedError: the program is not installed.
        BenchmarkError: it does not say.
    """
    program = shutil.which("openssl")
    if program is None:
        raise SkippedError("the program openssl is not installed")
    said = subprocess.run(
        [program, "speed", "-seconds", "1", "rsa2048"], capture_output=True, text=True, check=True
    ).stdout
    found = _SPEED.search(said)
    if found is None:
        raise BenchmarkError(f"openssl speed answered: {said[-300:]}")
    return float(found[1])


def issue_job_tokens() -> list[Row]:
    """From a job's request to its endpoint to the token, one after the other: through the runner, the controller and
    the database.
    """
    if not sys.platform.startswith("linux"):
        raise SkippedError("a job's environment is read from /proc")
    with (
        folder() as within,
        headland(within, jobs_java_home=str(idle_java(within))) as served,
    ):
        headers = {"Authorization": f"Bearer {served.token()}", "Content-Type": "application/json"}
        body = json.dumps({"file": served.put(archive(), "jars/app.jar"), "className": "org.example.Main"})
        post = Target(served.private_port, "POST", "/batches", headers, body.encode(), status=201)
        batch = json.loads(ask(post))["id"]
        await_running(Target(served.private_port, "GET", f"/batches/{batch}/state", headers))
        variables = _variables(served.home)
        samples: list[float] = []

        def tokens() -> float:
            samples.extend(taken := [_seconds_for_token(variables) for _ in range(COUNT)])
            return quantile(taken, 0.5)

        def signature() -> float:
            return 1 / _signatures()

        tokens()
        ours, theirs = interleaved(ROUNDS, tokens, signature)
    beside = Yardstick(YARDSTICK, 1000 * theirs)
    return [
        row("a job's token, p50", "ms", 1000 * ours, beside, JOB_AIM),
        row("a job's token, p99", "ms", 1000 * quantile(samples, 0.99), beside),
    ]


def _variables(home: Path) -> dict[str, str]:
    """The environment of the only job of a home."""
    (record,) = (home / "batches").glob("*/application.json")
    environ = Path(f"/proc/{json.loads(record.read_text())['pid']}/environ").read_text()
    return dict(each.split("=", 1) for each in environ.split("\0") if "=" in each)


def _seconds_for_token(variables: dict[str, str]) -> float:
    address = urlsplit(variables["IDENTITY_ENDPOINT"])
    query = urlencode({"api-version": "2019-08-01", "resource": "https://farmbeats.azure.net"})
    began = time.perf_counter()
    with closing(HTTPConnection(address.hostname or "", address.port)) as connection:
        headers = {"X-IDENTITY-HEADER": variables["IDENTITY_HEADER"]}
        connection.request("GET", f"{address.path}?{query}", headers=headers)
        answer = connection.getresponse()
        said = answer.read()
    if answer.status != 200:
        raise BenchmarkError(f"the endpoint answered {answer.status}: {said[:200]!r}")
    return time.perf_counter() - began


BENCHMARKS = (
    Benchmark("tokens", "issue access tokens over HTTPS", issue_tokens),
    Benchmark("job-tokens", "issue tokens to a job", issue_job_tokens),
)
