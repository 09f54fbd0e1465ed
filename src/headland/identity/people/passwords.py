"""Passwords: argon2id (RFC 9106), in threads, so many at once and no more.

People choose passwords that can be guessed, so they are hashed slowly; the secrets of applications need none of
this (`client_secrets`).
"""

import asyncio

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError

from headland.identity.errors import InvalidFieldError

#: Characters. What else is demanded of passwords makes them no better (NIST SP 800-63B section 5.1.1.2).
SHORTEST, LONGEST = 12, 256

#: Hashes at once, of some 64 MB each.
AT_ONCE = 2


class Passwords:
    """Hashes and checks them. For one event loop."""

    def __init__(self, hasher: PasswordHasher | None = None) -> None:
        self._hasher = hasher or PasswordHasher()
        self._nobodys = ""
        self._free = asyncio.Semaphore(AT_ONCE)

    async def hash(self, password: str) -> str:
        """What is kept of a password."""
        async with self._free:
            return await asyncio.to_thread(self._hasher.hash, password)

    async def matches(self, password_hash: str | None, password: str) -> bool:
        """Whether it is the password. Where there is none, the answer is no, and takes as long."""
        if password_hash is None and not self._nobodys:
            self._nobodys = await self.hash("nobody's")
        async with self._free:
            return await asyncio.to_thread(self._verify, password_hash, password)

    def _verify(self, password_hash: str | None, password: str) -> bool:
        try:
            self._hasher.verify(password_hash or self._nobodys, password)
        except (VerificationError, InvalidHashError):
            return False
        return password_hash is not None


def check_password(password: str, user_name: str) -> None:
    """
    Raises:
        InvalidFieldError: it is no good password.
    """
    if not SHORTEST <= len(password) <= LONGEST:
        raise InvalidFieldError("password", f"must have between {SHORTEST} and {LONGEST} characters.")
    if user_name.casefold() in password.casefold():
        raise InvalidFieldError("password", "must not contain the user name.")
    if len(set(password)) < 5:
        raise InvalidFieldError("password", "must have at least 5 different characters.")
