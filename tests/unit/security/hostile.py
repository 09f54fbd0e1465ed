"""JWTs as somebody would make them who wants to see a verifier fall. Each has a good signature, if it can have one."""

import base64
import json
from collections.abc import Callable, Iterator, Mapping
from typing import Any

#: Signs what it is given: the first two parts of a JWT, and the dot between them.
Sign = Callable[[bytes], bytes]

#: Depths below and above what Python's stack takes.
DEPTHS = (100, 900, 5000)

ODD = (
    *(None, True, 0, -1, 0.5, 1e308, 10**30, -(10**30), float("nan"), float("inf"), float("-inf")),
    *("", "x" * 5000, "é\u0000", "\ud800", [], [1], [None], ["x"], [[]], {}, {"a": 1}),
)

#: Header parameters of RFC 7515, 7516, 7797 and 7518, and one of nobody's.
PARAMETERS = (
    *("alg", "kid", "typ", "cty", "crit", "zip", "enc", "b64", "jwk", "jku", "x5c", "x5u", "x5t", "x5t#S256"),
    *("epk", "p2c", "p2s", "iv", "tag", "unknown"),
)


def base64url(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).decode().rstrip("=")


def encoded(part: object) -> bytes:
    return part if isinstance(part, bytes) else json.dumps(part).encode()


def token(header: object, claims: object, sign: Sign) -> str:
    signed = f"{base64url(encoded(header))}.{base64url(encoded(claims))}"
    return f"{signed}.{base64url(sign(signed.encode()))}"


def with_raw(part: Mapping[str, Any], name: str, raw: bytes) -> bytes:
    """The part's JSON with one member more, whose value is written already."""
    kept = {each: value for each, value in part.items() if each != name}
    return encoded(kept)[:-1] + b"," + json.dumps(name).encode() + b":" + raw + b"}"


def nested() -> Iterator[bytes]:
    for depth in DEPTHS:
        yield b"[" * depth + b"]" * depth
        yield b'{"a":' * depth + b"1" + b"}" * depth


def hostile_tokens(
    header: Mapping[str, Any], claims: Mapping[str, Any], sign: Sign
) -> Iterator[tuple[str, str]]:
    """What each is, and the token. Some of them say nothing wrong."""
    for name in PARAMETERS:
        for value in ODD:
            yield f"header {name} {value!r:.30}", token({**header, name: value}, claims, sign)
    for name in claims:
        for value in ODD:
            yield f"claim {name} {value!r:.30}", token(header, {**claims, name: value}, sign)
        yield f"without {name}", token(header, {each: claims[each] for each in claims if each != name}, sign)
        for digits in (4000, 9000):
            yield f"digits {name}", token(header, with_raw(claims, name, b"9" * digits), sign)
    for value in ODD:
        yield f"header {value!r:.30}", token(value, claims, sign)
        yield f"claims {value!r:.30}", token(header, value, sign)
    for raw in nested():
        for name in ("unknown", "kid", "crit", "jwk"):
            yield f"nested header {name} {len(raw)}", token(with_raw(header, name, raw), claims, sign)
        for name in ("unknown", "aud", "exp"):
            yield f"nested claims {name} {len(raw)}", token(header, with_raw(claims, name, raw), sign)
    unsigned = {**header, "crit": ["b64"], "b64": False}
    yield "unencoded payload", token(unsigned, claims, sign)
    for algorithm in ("none", "None", "HS256", "HS512", "ES256", "EdDSA", "RS1", "RSA-OAEP", "dir"):
        yield f"algorithm {algorithm}", token({**header, "alg": algorithm}, claims, lambda _: b"")
    good = token(header, claims, sign)
    head, payload, signature = good.split(".")
    yield "empty signature", f"{head}.{payload}."
    yield "long signature", f"{head}.{payload}.{'A' * 9000}"
    for text in (
        "",
        ".",
        "..",
        "...",
        "....",
        "a.b.c",
        "é.é.é",
        "=.=.=",
        "A" * 16_000,
        "." * 16_000,
        "A" * 60_000,
    ):
        yield f"text {text:.10}", text
    yield "encrypted form", f"{head}.a.{payload}.b.{signature}"
