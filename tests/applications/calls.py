"""What tests run as a Python batch that calls the services as who submitted it, with nothing but the standard library.

Each argument is an address; what is answered to a request for it with a token of the job's goes into the log.
"""

import json
import os
import sys
import time
import urllib.error
import urllib.parse
import urllib.request

BASE = os.environ["HEADLAND_URL"]
RESOURCES = {"/farm": "https://farmbeats.azure.net", "/subscriptions": "https://management.azure.com"}


def answered(request: urllib.request.Request) -> tuple[int, object]:
    try:
        with urllib.request.urlopen(request) as answer:
            return answer.status, json.loads(answer.read() or b"null")
    except urllib.error.HTTPError as error:
        return error.code, error.read().decode()


def token(resource: str) -> str:
    query = urllib.parse.urlencode({"resource": resource, "api-version": "2019-08-01"})
    request = urllib.request.Request(f"{os.environ['IDENTITY_ENDPOINT']}?{query}")
    request.add_header("X-IDENTITY-HEADER", os.environ["IDENTITY_HEADER"])
    status, said = answered(request)
    if status != 200:
        raise SystemExit(f"no token: {status} {said}")
    return said["access_token"]


def call(path: str) -> tuple[int, object]:
    resource = next((found for start, found in RESOURCES.items() if path.startswith(start)), BASE)
    request = urllib.request.Request(BASE + path, headers={"Authorization": f"Bearer {token(resource)}"})
    return answered(request)


print("instances", json.dumps([each["name"] for each in json.load(open(os.environ["HEADLAND_INSTANCES"]))]))
print("token", token(BASE))
for argument in sys.argv[1:]:
    if argument.startswith("wait:"):
        while not os.path.exists(argument[5:]):
            time.sleep(0.05)
    elif argument.startswith("touch:"):
        open(argument[6:], "w").close()
    else:
        status, said = call(argument)
        print("called", argument, status, said if status >= 400 else "", flush=True)
