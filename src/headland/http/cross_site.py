"""What a browser sends on behalf of a page that is not the service's own, to a port on its user's machine or network.

Such a port is often reached from a developer's browser, and may let in callers who show nothing. A page anywhere can
have the browser send it "simple" requests (Fetch standard, section 2.2.1): bodies without a media type, or with that of
a form, and no question first. A name of the page's own that comes to mean the port's address makes the page its own
origin (DNS rebinding), and lets it read answers, too.
"""

import ipaddress
import socket
from collections.abc import Iterable, Mapping

from starlette.types import Scope

from headland.http.drain_body import may_have_body

#: Answers, in the order in which they are looked for.
ELSEWHERE = 403, "Pages of other origins may not call this port."
MISDIRECTED = (
    421,
    ("This port is not known by the name '{name}'. If it is meant to be, add it to `server.private_names`."),
)
NAMELESS = 415, "Content-Type is missing: it must say what the body is, as a page of another origin can't."

#: Of whom a browser says that it calls: the user, or a page of this very origin (Fetch Metadata, section 2.3).
_OWN_SITE = (b"none", b"same-origin")


class CrossSite:
    """Tells requests of other origins' pages from all others, on a listener that has the names `names`, this machine's
    name, `localhost` and addresses.
    """

    def __init__(self, names: Iterable[str]) -> None:
        machine = socket.gethostname()
        self._names = {"localhost", machine, machine.partition(".")[0], *names}
        self._names = {name.lower().rstrip(".") for name in self._names if name}

    def refusal(self, scope: Scope, headers: Mapping[bytes, bytes]) -> tuple[int, str] | None:
        """Status and message for who may not call, or None."""
        if headers.get(b"sec-fetch-site", b"none").lower() not in _OWN_SITE:
            return ELSEWHERE
        host = headers.get(b"host", b"").decode("latin-1")
        name = _name_of(host)
        if name and not self._knows(name):
            return MISDIRECTED[0], MISDIRECTED[1].format(name=name[:80])
        origin = headers.get(b"origin")
        if origin is not None and origin.decode("latin-1").lower() not in _origins_at(host.lower()):
            return ELSEWHERE
        if b"content-type" not in headers and may_have_body(scope, headers):
            return NAMELESS
        return None

    def _knows(self, name: str) -> bool:
        if name in self._names or name.endswith(".localhost"):
            return True
        try:
            ipaddress.ip_address(name.strip("[]"))
        except ValueError:
            return False
        return True


def _name_of(host: str) -> str:
    """The name or address in a `Host` header, in lower case."""
    if not host.endswith("]"):
        host = host.rpartition(":")[0] or host
    return host.lower().rstrip(".")


def _origins_at(host: str) -> tuple[str, str]:
    """What the port's own pages have as their origin; a proxy before it may speak TLS."""
    return f"http://{host}", f"https://{host}"
