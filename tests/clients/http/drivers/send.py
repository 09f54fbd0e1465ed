"""Sends bodies by requests, httpx or aiohttp: `send.py <client>`, requests on standard input, what came of each on the
other end: a status, or what was raised.
"""

import asyncio
import json
import ssl
import sys
from collections.abc import AsyncIterator, Iterator
from typing import Any

PIECE = 65_536

Request = dict[str, Any]


def pieces(size: int) -> Iterator[bytes]:
    for start in range(0, size, PIECE):
        yield bytes(min(PIECE, size - start))


def by_requests(asked: Request, ca: str) -> int:
    import requests

    body = pieces(asked["size"]) if asked["chunked"] else bytes(asked["size"])
    answer = requests.request(
        asked["method"], asked["url"], data=body, headers=asked["headers"], verify=ca, timeout=60
    )
    assert answer.content is not None
    return answer.status_code


def by_httpx(asked: Request, ca: str) -> int:
    import httpx

    body = pieces(asked["size"]) if asked["chunked"] else bytes(asked["size"])
    with httpx.Client(verify=ssl.create_default_context(cafile=ca), timeout=60) as client:
        return client.request(
            asked["method"], asked["url"], content=body, headers=asked["headers"]
        ).status_code


async def _by_aiohttp(asked: Request, ca: str) -> int:
    import aiohttp

    async def flow() -> AsyncIterator[bytes]:
        for piece in pieces(asked["size"]):
            yield piece

    body = flow() if asked["chunked"] else bytes(asked["size"])
    context = ssl.create_default_context(cafile=ca) if asked["url"].startswith("https") else None
    async with (
        aiohttp.ClientSession() as session,
        session.request(
            asked["method"],
            asked["url"],
            data=body,
            headers=asked["headers"],
            ssl=context or True,
            expect100=asked["expect"],
        ) as answer,
    ):
        await answer.read()
        return answer.status


def by_aiohttp(asked: Request, ca: str) -> int:
    return asyncio.run(_by_aiohttp(asked, ca))


def main() -> None:
    given = json.load(sys.stdin)
    send = {"requests": by_requests, "httpx": by_httpx, "aiohttp": by_aiohttp}[sys.argv[1]]
    came: list[int | str] = []
    for asked in given["requests"]:
        try:
            came.append(send(asked, given["ca"]))
        except Exception as error:  # noqa: BLE001 - whatever it is, the test is to see it
            came.append(repr(error)[:300])
    print(json.dumps(came))


if __name__ == "__main__":
    main()
