"""Rasters of a shapefile by azure-agrifood-farming; what was seen is printed as JSON."""

import io
import json
import sys
from pathlib import Path

from azure.agrifood.farming import FarmBeatsClient
from azure.core.exceptions import HttpResponseError
from azure.identity import ClientSecretCredential
from surroundings import ENDPOINT, credential_options

party, shapefile = sys.argv[1], Path(sys.argv[2]).read_bytes()
client = FarmBeatsClient(
    endpoint=ENDPOINT, credential=ClientSecretCredential(**credential_options("contributor"))
)
client.parties.create_or_update(party_id=party, party={})
client.attachments.create_or_update(
    party, "shapes", {"resourceId": party, "resourceType": "Party"}, io.BytesIO(shapefile)
)


def job(column: str) -> dict[str, object]:
    return {"partyId": party, "shapefileAttachmentId": "shapes", "shapefileColumnNames": [column]}


operations = client.image_processing
poller = operations.begin_create_rasterize_job(f"{party}-1", job("YIELD"))
ended = poller.result()
(made,) = client.attachments.list_by_party_id(party, names=["YIELD"])
try:
    failed: object = operations.begin_create_rasterize_job(f"{party}-2", job("MOISTURE")).result()
except HttpResponseError as error:
    failed = type(error.__cause__ or error).__name__
print(
    json.dumps(
        {
            "status": [poller.status(), ended["status"]],
            "same": operations.get_rasterize_job(f"{party}-1") == ended,
            "file": made["originalFileName"],
            "tiff": b"".join(client.attachments.download(party, made["id"]))[:2].decode(),
            "failed": failed,
            "why": operations.get_rasterize_job(f"{party}-2")["errorCode"],
        }
    )
)
