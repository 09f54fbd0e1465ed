"""Put the services together: one ASGI application a listener."""

from starlette.applications import Starlette
from starlette.middleware.gzip import GZipMiddleware
from starlette.routing import BaseRoute, Mount
from starlette.types import ASGIApp

from headland.http.context import RequestContext
from headland.http.failures import internal_error
from headland.http.openapi import Api
from headland.http.operations import routes_of
from headland.http.security_headers import SecurityHeaders
from headland.identity import Issuer, SecretChecker, identity_admin_app, identity_app
from headland.jobs.api import jobs_app
from headland.security import Guard, Verifier
from headland.server.apis import own_audiences, private_apis, public_apis
from headland.server.deployment import Deployment
from headland.server.logging import configure_logging
from headland.server.parent import follow_parent
from headland.settings import Home
from headland.storage.routes import storage_app

#: Below this many bytes compressing costs more than it saves.
SMALLEST_COMPRESSED = 1024


class Assembly:
    """A deployment's services, ready to be mounted."""

    def __init__(self, deployment: Deployment) -> None:
        self.deployment = deployment
        self.issuer = Issuer(deployment.database, deployment.settings.server.public_url)
        self.verifier = Verifier([self.issuer.trusted()])
        self.check_secret = SecretChecker(deployment.database).check_secret

    def public(self) -> Starlette:
        """The public base."""
        settings, deployment = self.deployment.settings, self.deployment
        own = Guard(self.verifier, own_audiences(settings))
        apis = {api.name: api for api in public_apis(deployment, self.verifier)}
        mounted: list[BaseRoute] = []
        if "jobs" in apis:
            storage = storage_app(deployment.storage, own, settings.storage.max_upload)
            mounted += [
                Mount(apis["jobs"].prefix, jobs_app([*apis["jobs"].operations])),
                Mount(apis["storage"].prefix, storage),
            ]
        if "identity" in apis:
            mounted += [
                Mount(apis["applications"].prefix, identity_admin_app(deployment.database, settings, own)),
                Mount("/", identity_app(deployment.database, settings, self.issuer)),
            ]
        return _root(apis["server"], mounted)

    def private(self) -> Starlette:
        """The private network's listener."""
        apis = {api.name: api for api in private_apis(self.deployment, self.verifier, self.check_secret)}
        mounted: list[BaseRoute] = (
            [Mount("/", jobs_app([*apis["jobs"].operations]))] if "jobs" in apis else []
        )
        return _root(apis["server"], mounted)


def _root(general: Api, mounted: list[BaseRoute]) -> Starlette:
    """Mounts go first, since routes are tried in turn; what is mounted at the root, last."""
    prefixed = [mount for mount in mounted if isinstance(mount, Mount) and mount.path]
    rest = [mount for mount in mounted if mount not in prefixed]
    return Starlette(
        routes=[*prefixed, *routes_of(general.operations), *rest],
        exception_handlers={Exception: internal_error},
    )


def wrapped(app: Starlette, listener: str, *, tls: bool) -> ASGIApp:
    """`app` within what surrounds every listener."""
    compressed = GZipMiddleware(app, minimum_size=SMALLEST_COMPRESSED)
    return RequestContext(SecurityHeaders(compressed, tls=tls), listener)


def public_application() -> ASGIApp:
    """Factory for the server's worker processes."""
    return wrapped(_assembly().public(), "public", tls=True)


def private_application() -> ASGIApp:
    """Factory for the server's worker processes."""
    return wrapped(_assembly().private(), "private", tls=False)


def _assembly() -> Assembly:
    follow_parent()
    deployment = Deployment.open(Home.default())
    configure_logging(deployment.settings.log)
    return Assembly(deployment)
