"""Where a request comes from that a reverse proxy has passed on: what the proxy says is believed of those proxies alone
that the settings name.
"""

import ipaddress
from collections.abc import Sequence

from starlette.types import Scope

_Network = ipaddress.IPv4Network | ipaddress.IPv6Network
_Address = ipaddress.IPv4Address | ipaddress.IPv6Address

#: Proxies that a request may have come through.
MOST_HOPS = 32


class TrustedProxies:
    """Finds the client's address from right to left: each proxy has added the one that it was called from, and what
    stands before the first that is none of ours, anybody may have written.
    """

    def __init__(self, networks: Sequence[str], name: str) -> None:
        """
        Args:
            networks: addresses and networks (CIDR).
            name: the header that they set, `x-forwarded-for` or `forwarded`. The other one is not looked at: a proxy
                that does not know it passes it on as clients have sent it.
        """
        self._networks = [ipaddress.ip_network(network, strict=False) for network in networks]
        self._name = name.encode()

    def restore(self, scope: Scope) -> None:
        """Put the client's own address into the request's scope."""
        client = scope.get("client")
        if client is None or not self._trusts(_address(client[0])):
            return
        # Several headers of the name are one list (RFC 9110 section 5.3).
        said = ",".join(value.decode("latin-1") for found, value in scope["headers"] if found == self._name)
        found = None
        for hop in reversed(said.split(",")[-MOST_HOPS:]) if said else ():
            address = _address(_for(hop) if self._name == b"forwarded" else hop.strip())
            if address is None:
                break
            found = address
            if not self._trusts(address):
                break
        if found is not None:
            scope["client"] = (str(found), 0)

    def _trusts(self, address: _Address | None) -> bool:
        return address is not None and any(address in network for network in self._networks)


def _for(hop: str) -> str:
    """The `for` of an element of `Forwarded` (RFC 7239 section 4); nothing where it has none."""
    for pair in hop.split(";"):
        name, _, value = pair.partition("=")
        if name.strip().lower() == "for":
            return value.strip().strip('"')
    return ""


def _address(text: str) -> _Address | None:
    """An address, with a port or without; None where it is none, such as `unknown`."""
    host = text.partition("%")[0]
    if host.startswith("["):
        host = host[1:].partition("]")[0]
    elif host.count(":") == 1:
        host = host.partition(":")[0]
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        return None
    mapped = address.ipv4_mapped if isinstance(address, ipaddress.IPv6Address) else None
    return mapped or address
