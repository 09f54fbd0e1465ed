"""Passwords: argon2id (RFC 9106), in threads, so many at once and no more.

People choose passwords that can be guessed, so they are hashed slowly; the secrets of applications need none of
this (`client_secrets`).
"""

import asyncio

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError

from headland.identity.errors import InvalidFieldError

#: Characters. What else is demanded of passwords makes them no better (NIST SP 800-63B section 3.1.1.2).
SHORTEST, LONGEST = 12, 256

#: What guesses are expected to be needed (NIST SP 800-63B section 3.1.1.2 asks for a blocklist of common passwords,
#: and of what belongs to the account and the service): zxcvbn calls it "safely unguessable".
FEWEST_GUESSES = 1e8

#: Characters that are looked at: more make no password weaker, and would take seconds.
_LONGEST_ESTIMATED = 72

#: Words that are the first to come to anybody's mind here.
_SERVICE = ("headland", "portal", "farm", "spark", "livy")

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

    async def check(self, password: str, user_name: str, name: str) -> None:
        """As `check_password`, in a thread.

        Raises:
            InvalidFieldError: it is no good password.
        """
        async with self._free:
            await asyncio.to_thread(check_password, password, user_name, name)

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


def check_password(password: str, user_name: str, name: str = "") -> None:
    """It takes a tenth of a second at the worst, for long ones that repeat themselves.

    Raises:
        InvalidFieldError: it is no good password.
    """
    if not SHORTEST <= len(password) <= LONGEST:
        raise InvalidFieldError("password", f"must have between {SHORTEST} and {LONGEST} characters.")
    if user_name.casefold() in password.casefold():
        raise InvalidFieldError("password", "must not contain the user name.")
    if len(set(password)) < 5:
        raise InvalidFieldError("password", "must have at least 5 different characters.")
    if _guesses(password, user_name, name) < FEWEST_GUESSES:
        raise InvalidFieldError(
            "password",
            "is among the first that are tried: a common password, or made of one, of your name, of Headland's, of "
            "a date or a row of keys. Take some words that have nothing to do with each other.",
        )


def _guesses(password: str, user_name: str, name: str) -> float:
    """After how many guesses somebody finds it who tries common passwords first, and knows whose it is."""
    # A quarter of a second, and 16 MB of passwords that people have chosen, for the few processes that need them.
    from zxcvbn import zxcvbn  # noqa: PLC0415

    of_person = {part for text in (user_name, name) for part in (text, "".join(text.split()), *text.split())}
    return float(zxcvbn(password[:_LONGEST_ESTIMATED], [*sorted(of_person), *_SERVICE])["guesses"])
