"""Pages of parties by azure-agrifood-farming's asynchronous client; what was seen is printed as JSON."""

import asyncio
import json
import sys

from azure.agrifood.farming.aio import FarmBeatsClient
from azure.identity.aio import ClientSecretCredential
from surroundings import ENDPOINT, credential_options

mark = sys.argv[1]


async def main() -> None:
    async with (
        ClientSecretCredential(**credential_options("contributor")) as credential,
        FarmBeatsClient(endpoint=ENDPOINT, credential=credential) as client,
    ):
        made = [
            client.parties.create_or_update(party_id=f"{mark}-{number:03}", party={"name": f"{mark} ü&#"})
            for number in range(60)
        ]
        await asyncio.gather(*made)
        listed = [each["id"] async for each in client.parties.list(names=[f"{mark} ü&#"])]
        print(json.dumps({"listed": sorted(listed)}))


asyncio.run(main())
