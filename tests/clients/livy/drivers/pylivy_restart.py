"""pylivy waits for a batch while the service goes away: as it is, and with a session that tries again."""

import json
import sys

import requests
from livy import LivyBatch
from requests.adapters import HTTPAdapter
from urllib3 import Retry

asked = json.loads(sys.argv[1])
patient = requests.Session()
patient.mount("http://", HTTPAdapter(max_retries=Retry(total=60, backoff_factor=0.2, backoff_max=1)))

batch = LivyBatch.create(
    asked["url"], asked["file"], args=["stay", asked["mark"]], requests_session=patient, auth=None
)
states = []
while not states:
    # As it is, pylivy gives up where nobody listens; the batch can be taken up again by its id.
    try:
        LivyBatch(asked["url"], batch.batch_id).wait()
    except requests.ConnectionError as error:
        print("gave up:", error, file=sys.stderr, flush=True)
        states.append("lost")
states.append(batch.wait().value)
print(json.dumps({"id": batch.batch_id, "states": states, "log": batch.log(from_=0, size=-1)}))
