"""Issuing tokens over HTTPS, beside bare RSA signatures on the same core: per second of its time, each."""

import re
import shutil
import subprocess
from contextlib import ExitStack
from functools import partial
from urllib.parse import urlencode

from benchmarks.harness import Aim, Benchmark, BenchmarkError, Row, SkippedError, Yardstick, interleaved, row
from benchmarks.loading import Target, rate_per_core
from benchmarks.processors import kept_to, one
from benchmarks.serving import folder, headland

ROUNDS = 5
SECONDS = 1.5

AIM = Aim(least=0.6)
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


BENCHMARKS = (Benchmark("tokens", "issue access tokens over HTTPS", issue_tokens),)
