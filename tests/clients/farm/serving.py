"""Identity and farm service over HTTPS, with instances and roles from a file: what `headland serve` does with the
control plane's. Run as a program by `conftest.py`.
"""

import sys
from pathlib import Path

from granian.constants import HTTPModes, Interfaces
from granian.server import Server

from headland.http.listener import Listener
from headland.identity import identity_admin_app, identity_app
from headland.security import Guard
from headland.server.apis import own_audiences
from headland.server.applications import Assembly
from headland.server.deployment import Deployment
from headland.server.farm import farm_application
from headland.settings import Home

sys.path.insert(0, str(Path(__file__).parent))

from directory import Directory


def application() -> Listener:
    """Factory for the server's worker."""
    deployment = Deployment.open(Home.default())
    assembly = Assembly(deployment)
    settings = deployment.settings
    directory = Directory(deployment.home.path / "directory.json")
    mounted = {
        "/identity": identity_admin_app(
            deployment.database, settings, Guard(assembly.verifier, own_audiences(settings))
        ),
        "/farm": farm_application(deployment, assembly.verifier, directory, directory),
    }
    at_root = [identity_app(deployment.database, settings, assembly.issuer)]
    return Listener("public", mounted, at_root, tls=True)


if __name__ == "__main__":
    home = Home.default()
    Server(
        f"{Path(__file__).stem}:application",
        working_dir=Path(__file__).parent,
        address="127.0.0.1",
        port=int(sys.argv[1]),
        interface=Interfaces.ASGINL,
        factory=True,
        http=HTTPModes.auto,
        websockets=False,
        ssl_cert=home.tls / "server.pem",
        ssl_key=home.tls / "server.key",
    ).serve()
