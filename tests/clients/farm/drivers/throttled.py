"""Write more than an instance takes in a while, as a program does that knows nothing of limits."""

import json
import time

from azure.agrifood.farming import FarmBeatsClient
from azure.identity import ClientSecretCredential
from surroundings import ENDPOINT, credential_options

seen: list[int] = []


def look(response):
    """At each answer, those included that the client does not show its caller."""
    seen.append(response.http_response.status_code)


credential = ClientSecretCredential(**credential_options("admin"))
with FarmBeatsClient(endpoint=ENDPOINT, credential=credential) as client:
    began = time.monotonic()
    for number in range(14):
        client.parties.create_or_update(
            party_id=f"p-{number}", party={"name": str(number)}, raw_response_hook=look
        )
    took = time.monotonic() - began
    found = len(list(client.parties.list()))

print(json.dumps({"seen": seen, "took": took, "found": found}))
