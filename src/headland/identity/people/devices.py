"""Browsers in which somebody has signed in before: guesses from elsewhere don't lock them out
(https://owasp.org/www-community/Slow_Down_Online_Guessing_Attacks_with_Device_Cookies).

A browser holds a mark for each of the last few people who have signed in there. It shows nothing but that: who has it
still needs the password. It is sealed by what is kept of the person's password, so that it ends with that, and there is
no further secret to be kept. Each sign-in gives a new one.
"""

import hmac
import secrets

from headland.identity.people.records import Person

#: Seconds for which a browser is known after a sign-in.
LIFETIME = 180 * 86_400

#: People whom a browser is known to.
MOST = 4

_LONGEST = 1000


def known(marks: str, person: Person | None, now: float) -> str | None:
    """What the browser that holds `marks` is known by to the person; None where it is not (`now` in seconds since
    1970).
    """
    if person is None or person.password_hash is None or len(marks) > _LONGEST:
        return None
    for mark in marks.split("~"):
        body, _, seal = mark.rpartition(".")
        issued, _, name = body.partition(".")
        if not hmac.compare_digest(_seal(person.password_hash, body).encode(), seal.encode()):
            continue
        if 0 <= now - int(issued) < LIFETIME:
            return name
    return None


def remember(marks: str, person: Person, now: float) -> str:
    """What the browser that held `marks` is to hold after the person has signed in there."""
    others = [] if len(marks) > _LONGEST else [mark for mark in marks.split("~") if mark]
    others = [mark for mark in others if known(mark, person, now) is None]
    body = f"{int(now)}.{secrets.token_urlsafe(16)}"
    mark = f"{body}.{_seal(person.password_hash or '', body)}"
    return "~".join([mark, *others][:MOST])


def _seal(password_hash: str, body: str) -> str:
    return hmac.digest(
        password_hash.encode(), b"device " + body.encode("utf-8", "surrogatepass"), "sha256"
    ).hex()
