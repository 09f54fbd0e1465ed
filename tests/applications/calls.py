"""What tests run as a Python batch that calls the services as who submitted it, with nothing but the standard library.

Each argument is an address; what is answered to a request for it with a token of the job's goes into the log. With
`executor:` before it, a worker of an executor calls; `touch:` and `wait:` name files to make and to wait for.
"""

import json
import os
import sys
import time
import urllib.error
import urllib.parse
import urllib.request
from pathlib import Path

BASE = os.environ["HEADLAND_URL"]
RESOURCES = {"/farm": "https://farmbeats.azure.net", "/subscriptions": "https://management.azure.com"}


def answered(request: urllib.request.Request) -> tuple[int, object]:
    try:
        with urllib.request.urlopen(request) as answer:  # noqa: S310 - addresses are the service's
            return answer.status, json.loads(answer.read() or b"null")
    except urllib.error.HTTPError as error:
        return error.code, error.read().decode()


def token(resource: str) -> str:
    query = urllib.parse.urlencode({"resource": resource, "api-version": "2019-08-01"})
    request = urllib.request.Request(f"{os.environ['IDENTITY_ENDPOINT']}?{query}")  # noqa: S310 - likewise
    request.add_header("X-IDENTITY-HEADER", os.environ["IDENTITY_HEADER"])
    status, said = answered(request)
    if status != 200:
        raise SystemExit(f"no token: {status} {said}")
    return said["access_token"]


def call(path: str) -> tuple[int, object]:
    resource = next((found for start, found in RESOURCES.items() if path.startswith(start)), BASE)
    headers = {"Authorization": f"Bearer {token(resource)}"}
    while True:
        try:
            return answered(urllib.request.Request(BASE + path, headers=headers))  # noqa: S310 - likewise
        except urllib.error.URLError:  # the service is away; of tokens that is the endpoint's matter
            time.sleep(0.1)


instances = json.loads(Path(os.environ["HEADLAND_INSTANCES"]).read_text())
print("instances", json.dumps([each["name"] for each in instances]))
print("token", token(BASE))
for argument in sys.argv[1:]:
    if argument.startswith("wait:"):
        while not Path(argument[5:]).exists():
            time.sleep(0.05)
    elif argument.startswith("touch:"):
        Path(argument[6:]).touch()
    elif argument.startswith("executor:"):
        from pyspark.sql import SparkSession

        asked = SparkSession.builder.getOrCreate().sparkContext.parallelize([argument[9:]], 1).map(call)
        print("called", argument, asked.collect()[0][0], flush=True)
    else:
        status, said = call(argument)
        print("called", argument, status, said if status >= 400 else "", flush=True)
