"""pylivy's batch API, driven as its documentation has it; prints what it made of the answers as JSON."""

import json
import sys
import time

import requests
from livy import LivyBatch
from livy.client import LivyClient
from livy.models import Version

asked = json.loads(sys.argv[1])


class Bearer(requests.auth.AuthBase):
    """What pylivy takes as `auth` may be any of requests' ways: this one is for the public base."""

    def __call__(self, request):
        request.headers["Authorization"] = f"Bearer {asked['token']}"
        request.headers["X-Requested-By"] = "pylivy"
        return request


url, file = asked["url"], asked["file"]
options = {
    "auth": Bearer() if "token" in asked else tuple(asked["secret"]) if "secret" in asked else None,
    "verify": asked.get("ca", True),
}
client = LivyClient(url, **options)
told = {"legacy": client.legacy_server(), "newer": not client.server_version() < Version("0.5.0-incubating")}

# Success, with every kind of value that pylivy sends.
good = LivyBatch.create(
    url,
    file,
    args=asked["arguments"],
    name=f"pylivy-{asked['way']}",
    driver_memory="512m",
    driver_cores=1,
    executor_memory="512m",
    executor_cores=1,
    num_executors=1,
    queue="default",
    spark_conf={"spark.ui.showConsoleProgress": "false"},
    **options,
)
bad = LivyBatch.create(url, file, args=["fail"], **options)
stays = LivyBatch.create(url, file, args=["stay", asked["mark"]], **options)
told["ids"] = [good.batch_id, bad.batch_id, stays.batch_id]
told["listed"] = [batch.batch_id for batch in client.list_batches()]
told["good"], told["bad"] = good.wait().value, bad.wait().value
told["application"] = client.get_batch(good.batch_id).app_id
told["log"] = good.log(from_=0, size=-1)
told["last"] = good.log(size=2)
told["page"] = client.get_batch_log(good.batch_id, 1, 2).lines
told["beyond"] = good.log(from_=100_000)
told["cause"] = bad.log(size=-1)

# Kill a running one, and see that it is forgotten.
while "staying" not in stays.log(size=-1):
    time.sleep(0.1)
told["running"] = stays.state.value
stays.kill()
told["forgotten"] = client.get_batch(stays.batch_id) is None
try:
    stays.wait()
except ValueError as error:
    told["afterwards"] = str(error)
client.delete_batch(good.batch_id)
client.delete_batch(bad.batch_id)
told["left"] = [batch.batch_id for batch in client.list_batches()]

# What is refused, and how it looks from here.
try:
    LivyBatch.create(url, "/etc/hosts.py", **options)
except requests.HTTPError as error:
    told["refusal"] = [error.response.status_code, error.response.json()["msg"]]
print(json.dumps(told))
