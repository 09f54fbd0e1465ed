"""What the pages work with."""

from dataclasses import dataclass

from headland.identity.people import OutsideSignIn, Sessions, SignIn
from headland.portal.assets import Assets
from headland.portal.inside import Asgi
from headland.portal.rendering import Rendering
from headland.settings import Settings


@dataclass(frozen=True)
class Portal:
    """The state behind the pages."""

    settings: Settings
    sessions: Sessions
    sign_in: SignIn
    outside: OutsideSignIn
    assets: Assets
    rendering: Rendering
    #: Reaches the services.
    inside: Asgi

    def has(self, service: str) -> bool:
        """Whether a service runs here."""
        return service in self.settings.server.services
