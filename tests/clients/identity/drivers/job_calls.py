"""Calls each address of its arguments as whoever submitted the job: nothing here knows Headland but its variables."""

import os
import sys

import requests
from azure.identity import DefaultAzureCredential, ManagedIdentityCredential

FARM = "https://farmbeats.azure.net/.default"

print("token", DefaultAzureCredential().get_token(FARM).token)
token = ManagedIdentityCredential().get_token(FARM).token
for path in sys.argv[1:]:
    answer = requests.get(
        os.environ["HEADLAND_URL"] + path, headers={"Authorization": f"Bearer {token}"}, timeout=60
    )
    print("called", path, answer.status_code, answer.text)
