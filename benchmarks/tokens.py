"""Issuing tokens over HTTPS, beside bare RSA signatures of one process."""

import time
from urllib.parse import urlencode

from cryptography.hazmat.primitives.asymmetric import padding, rsa
from cryptography.hazmat.primitives.hashes import SHA256

from benchmarks.harness import Aim, Benchmark, Row, Yardstick, interleaved, row
from benchmarks.loading import Target, rate
from benchmarks.serving import folder, headland

ROUNDS = 5
SECONDS = 1.5

AIM = Aim(least=0.6)
YARDSTICK = "RSA-2048 signatures by cryptography, one process"


def issue_tokens() -> list[Row]:
    """One worker process that authenticates the client, reads the database, signs and answers over TLS."""
    with folder() as within, headland(within) as served:
        token = Target(
            served.port,
            "POST",
            served.token_path,
            {"Content-Type": "application/x-www-form-urlencoded"},
            urlencode(served.token_form).encode(),
            ca=str(served.home / "tls" / "ca.pem"),
        )
        key = rsa.generate_private_key(public_exponent=65537, key_size=2048)
        # What a token's signature is over: header and claims.
        message = served.token().rpartition(".")[0].encode()
        ours, theirs = interleaved(
            ROUNDS, lambda: rate(token, SECONDS), lambda: _signatures(key, message, SECONDS)
        )
        return [row("POST a token request", "tokens/s", ours, Yardstick(YARDSTICK, theirs), AIM)]


def _signatures(key: rsa.RSAPrivateKey, message: bytes, seconds: float) -> float:
    scheme, digest = padding.PKCS1v15(), SHA256()
    signed, began = 0, time.perf_counter()
    while (taken := time.perf_counter() - began) < seconds:
        key.sign(message, scheme, digest)
        signed += 1
    return signed / taken


BENCHMARKS = (Benchmark("tokens", "issue access tokens over HTTPS", issue_tokens),)
