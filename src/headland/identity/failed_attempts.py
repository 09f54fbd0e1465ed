"""Attempts, counted by whom they are for and by source address, and answered briefly when there are too many.

Those to get a token count when they have failed. Credentials are always looked at first, so nobody is locked out by
somebody else's attempts. Nor need they be: a secret has 256 random bits, and nobody guesses one however fast. What is
slowed is the questioning: which clients there are, and what is wrong with a secret, is told so many times a minute and
no more, and programs with a wrong secret are told to wait.

Each process counts for itself, and remembers so many clients and addresses and no more.
"""

import ipaddress
import math
import time
from collections import OrderedDict
from collections.abc import Callable

#: Clients, and addresses, that a process remembers; the one whose last attempt is oldest goes first.
MOST_REMEMBERED = 4096

#: An address may fail this many times as often as a client: many clients may share it.
CLIENTS_AN_ADDRESS = 4


class FailedAttempts:
    """Attempts of the last minutes."""

    def __init__(self, a_minute: int, monotonic: Callable[[], float] = time.monotonic) -> None:
        """`a_minute` attempts of one client are answered in full, and as many more each minute; 0 sets no limit."""
        self._clients = _Buckets(a_minute, monotonic)
        self._addresses = _Buckets(a_minute * CLIENTS_AN_ADDRESS, monotonic)

    def failed(self, client_id: str | None, address: str | None) -> int | None:
        """Count one.

        Args:
            client_id: the client, if there is such a one.

        Returns:
            None where it may be said what was wrong; otherwise the seconds to wait until it may.
        """
        wait = self._addresses.add(_network(address)) if address else 0.0
        # What an address is not answered for anyway is not to count against a client of somebody else's.
        if not wait and client_id:
            wait = self._clients.add(client_id)
        return math.ceil(wait) or None


class SignInAttempts:
    """Attempts to sign in: counted, right or wrong, before anything is looked at, since passwords and one-time codes
    can be guessed.

    Nobody is to be locked out by somebody else's attempts, so one address has half of what an account allows, a browser
    in which somebody has signed in before (`devices`) has limits of its own, and what is refused for the address counts
    against no account.
    """

    def __init__(self, a_minute: int, monotonic: Callable[[], float] = time.monotonic) -> None:
        """`a_minute` attempts for one account are looked at, and as many more each minute."""
        self._accounts = _Buckets(a_minute, monotonic)
        self._pairs = _Buckets((a_minute + 1) // 2, monotonic)
        self._addresses = _Buckets(a_minute * CLIENTS_AN_ADDRESS, monotonic)
        self._devices = _Buckets(a_minute, monotonic)

    def add(self, account: str, address: str, device: str | None = None) -> int | None:
        """Count one.

        Args:
            account: what is tried to be opened; empty where that is not known before it is opened.
            device: the browser, where it is known to the account.

        Returns:
            None where it may be looked at; otherwise the seconds to wait until the next one may.
        """
        if device is not None:
            return math.ceil(self._devices.add(f"{account} {device}")) or None
        network = _network(address)
        wait = self._addresses.add(network)
        if not wait and account:
            wait = self._pairs.add(f"{account} {network}") or self._accounts.add(account)
        return math.ceil(wait) or None


class _Buckets:
    """Buckets that leak: of each, how full it was when something was last added."""

    def __init__(self, a_minute: int, monotonic: Callable[[], float]) -> None:
        self._size = float(a_minute)
        self._monotonic = monotonic
        self._levels: OrderedDict[str, tuple[float, float]] = OrderedDict()

    def add(self, key: str) -> float:
        """Seconds until there is room again; 0 where there was."""
        if not self._size:
            return 0.0
        now = self._monotonic()
        a_second = self._size / 60.0
        level, at = self._levels.pop(key, (0.0, now))
        level = max(0.0, level - (now - at) * a_second)
        over = level + 1.0 - self._size
        # What does not fit runs over: who waits as told is answered then, however many attempts there were.
        self._levels[key] = (level if over > 0.0 else level + 1.0, now)
        if len(self._levels) > MOST_REMEMBERED:
            self._levels.popitem(last=False)
        return over / a_second if over > 0.0 else 0.0


def _network(address: str) -> str:
    """Of an IPv6 address the network: each customer of a provider has 2^64 addresses in one."""
    try:
        parsed = ipaddress.ip_address(address)
    except ValueError:
        return address
    if isinstance(parsed, ipaddress.IPv6Address):
        return str(ipaddress.ip_network((parsed, 64), strict=False))
    return address
