"""An instance that faults are tried on."""

import ssl
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
from tests.faults import tiny
from tests.instances import ADMIN, provision
from tests.serving import PATIENCE, Served

FARM_SCOPE = "https://farmbeats.azure.net/.default"


@contextmanager
def farm_served(folder: Path) -> Iterator[tuple[Served, httpx.Client, str]]:
    """A Headland with two web workers, a client with an administrator's token, and an instance's address."""
    served = Served(folder / "home", jobs_java_home=str(tiny.install(folder)), server_workers="2")
    try:
        served.start(authorize=False)
        instance = provision(served)
        own = {"Authorization": f"Bearer {served.token(f'{served.url}/.default')}"}
        path = f"/identity/applications/{served.administrator['clientId']}"
        instance.assign(served.public.get(path, headers=own).raise_for_status().json()["objectId"], ADMIN)
        headers = {"Authorization": f"Bearer {served.token(FARM_SCOPE)}"}
        tls = ssl.create_default_context(cafile=str(served.ca))
        with httpx.Client(verify=tls, timeout=PATIENCE, headers=headers) as client:
            yield served, client, instance.uri
    finally:
        served.authorize()
        served.close()
