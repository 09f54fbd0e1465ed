"""Parties by aiohttp, which joins paths to an address from its root; what was seen is printed as JSON."""

import asyncio
import json
import os
import socket
import ssl
from typing import Any

import aiohttp
from aiohttp.abc import AbstractResolver
from azure.identity.aio import DefaultAzureCredential


class Here(AbstractResolver):
    """What a wildcard name in a DNS does: every name is this machine."""

    async def resolve(self, host: str, port: int = 0, family: int = socket.AF_INET) -> list[Any]:
        return [
            {"hostname": host, "host": "127.0.0.1", "port": port, "family": family, "proto": 0, "flags": 0}
        ]

    async def close(self) -> None:
        pass


async def main() -> None:
    connector = aiohttp.TCPConnector(resolver=Here(), ssl=ssl.create_default_context())
    async with (
        DefaultAzureCredential() as credential,
        aiohttp.ClientSession(base_url=os.environ["INSTANCE_URI"], connector=connector) as session,
    ):
        token = await credential.get_token("https://farmbeats.azure.net/.default")
        version = {"api-version": "2022-11-01-preview"}
        headers = {"Authorization": f"Bearer {token.token}", "Content-Type": "application/merge-patch+json"}
        made = await session.patch("/parties/joined", params=version, headers=headers, data=b"{}")
        listed = await session.get("/parties", params=version, headers=headers)
        print(
            json.dumps({"made": made.status, "ids": [each["id"] for each in (await listed.json())["value"]]})
        )


asyncio.run(main())
