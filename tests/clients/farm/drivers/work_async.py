"""A job that deletes, and an attachment, by azure-agrifood-farming's asynchronous client; printed as JSON."""

import asyncio
import io
import json
import sys

from azure.agrifood.farming.aio import FarmBeatsClient
from azure.core.exceptions import ResourceNotFoundError
from azure.identity.aio import ClientSecretCredential
from surroundings import ENDPOINT, credential_options

mark = sys.argv[1]
party = f"{mark}-party"


async def main() -> None:
    async with (
        ClientSecretCredential(**credential_options("admin")) as credential,
        FarmBeatsClient(endpoint=ENDPOINT, credential=credential) as client,
    ):
        await client.parties.create_or_update(party_id=party, party={})
        data = b"0123456789" * 100_000
        described = {"resourceId": party, "resourceType": "Party", "originalFileName": "map.tif"}
        created = await client.attachments.create_or_update(party, "att-1", described, io.BytesIO(data))
        down = b"".join([block async for block in await client.attachments.download(party, "att-1")])
        listed = [each["id"] async for each in client.attachments.list_by_party_id(party)]
        poller = await client.parties.begin_create_cascade_delete_job(f"{mark}-job", party_id=party)
        ended = await poller.result()
        try:
            await client.attachments.get(party, "att-1")
            gone = False
        except ResourceNotFoundError:
            gone = True
        seen = {"name": created["originalFileName"], "down": down == data, "listed": listed, "gone": gone}
        print(json.dumps(seen | {"status": ended["status"], "message": ended["message"]}))


asyncio.run(main())
