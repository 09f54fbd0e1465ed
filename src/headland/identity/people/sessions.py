"""Sessions of people who are signed in.

What the browser holds is 256 random bits, of which the hash alone is kept. It is exchanged whenever somebody shows
more of who they are, so that nobody can prepare a session for somebody else to sign in to.
"""

import hashlib
import secrets
import time
from collections.abc import Callable
from dataclasses import dataclass, field

import msgspec
import structlog
from sqlalchemy import Connection

from headland.database import Database
from headland.identity import store as tenants
from headland.identity.identifiers import new_id
from headland.identity.people import store
from headland.identity.people.records import OutsidePerson, Person, Session
from headland.security import Principal

#: Milliseconds for which one use stands for all: a write for each page would cost more than the page.
GRAIN = 60_000

#: Milliseconds in which a one-time code must follow a password.
PATIENCE = 300_000

_LONGEST_AGENT = 200
#: Characters; longer ones are none of ours, and are not worth a look.
_LONGEST_KEY = 100

_log = structlog.get_logger("headland.identity")


@dataclass(frozen=True, slots=True)
class SignedIn:
    """Somebody who is signed in, as a request shows it."""

    principal: Principal
    #: By which others know them, and by which they sign in.
    name: str
    user_name: str
    session: Session
    #: What the browser holds; what guards its forms is made from it.
    key: str = field(repr=False)
    #: None for somebody for whom a provider elsewhere vouches.
    person: Person | None = None


class Sessions:
    """The sessions of a deployment."""

    def __init__(
        self, database: Database, *, idle: float, lifetime: float, clock: Callable[[], float] = time.time
    ) -> None:
        """Seconds: `idle` without a request, or `lifetime` in all, end a session."""
        self._database = database
        self._idle = int(idle * 1000)
        self._lifetime = int(lifetime * 1000)
        self._clock = clock

    def begin(
        self,
        connection: Connection,
        who: Person | OutsidePerson,
        agent: str,
        *,
        address: str,
        complete: bool = True,
        instead_of: str | None = None,
    ) -> str:
        """Begin a session; the key for the browser. The one `instead_of` which it is, is over.

        Args:
            address: where the browser is.
            complete: False where a one-time code is to follow.
        """
        now = self._now()
        store.delete_expired_sessions(connection, now)
        if instead_of is not None:
            store.delete_session(connection, key_hash_of(instead_of))
        key = secrets.token_urlsafe(32)
        outside = msgspec.json.encode(who).decode() if isinstance(who, OutsidePerson) else None
        lifetime = self._lifetime if complete else PATIENCE
        made = Session(
            key_hash=key_hash_of(key),
            id=new_id(),
            person_id=who.object_id,
            outside=outside,
            complete=complete,
            agent="".join(c for c in agent if c.isprintable())[:_LONGEST_AGENT],
            created_at=now,
            used_at=now,
            expires_at=now + lifetime,
            address=address,
        )
        store.add_session(connection, made)
        if complete and isinstance(who, Person):
            store.change(connection, who.object_id, last_used_at=now)
        return key

    def renew(self, connection: Connection, person_id: str, key: str) -> str:
        """Another key for the session that `key` opens; all others of the person's end."""
        made = secrets.token_urlsafe(32)
        store.delete_sessions(connection, person_id, besides=key_hash_of(key))
        store.exchange_key(connection, key_hash_of(key), key_hash_of(made))
        return made

    def find(self, key: str) -> SignedIn | None:
        """Who is signed in by that key; None where nobody is any more, or not yet wholly.

        Raises:
            DatabaseUnavailableError: it can't be looked up now.
        """
        found = self._look_up(key)
        return found if found is not None and found.session.complete else None

    def goes_on(self, key: str) -> bool:
        """Whether somebody is still signed in by that key. To ask is no use of the session."""
        found = self._found(key)
        return found is not None and found.session.complete

    def half(self, key: str) -> Person | None:
        """Whose password was shown in that session, where a one-time code is to follow."""
        found = self._look_up(key)
        return found.person if found is not None and not found.session.complete else None

    def of(self, person_id: str) -> list[Session]:
        """Where somebody is signed in, what was used last first.

        Raises:
            DatabaseUnavailableError: it can't be looked up now.
        """
        return self._database.read(lambda connection: self.listed(connection, person_id))

    def listed(self, connection: Connection, person_id: str) -> list[Session]:
        """The same, within a transaction."""
        now = self._now()
        return [
            one for one in store.sessions(connection, person_id) if one.complete and self._lives(one, now)
        ]

    async def end(self, key: str) -> None:
        """Sign out."""
        await self._database.write(lambda connection: store.delete_session(connection, key_hash_of(key)))

    async def end_one(self, person_id: str, id_: str) -> bool:
        """Sign somebody out of one session; whether there was such a one."""
        return await self._database.write(
            lambda connection: store.delete_one_session(connection, person_id, id_)
        )

    async def end_all(self, person_id: str) -> None:
        """Sign somebody out everywhere."""
        await self._database.write(lambda connection: store.delete_sessions(connection, person_id))

    def _look_up(self, key: str) -> SignedIn | None:
        found = self._found(key)
        now = self._now()
        if found is not None and now - found.session.used_at >= GRAIN:
            key_hash = found.session.key_hash
            self._database.write_behind(
                lambda connection: store.use_session(connection, key_hash, now), _unwritten
            )
        return found

    def _found(self, key: str) -> SignedIn | None:
        if len(key) > _LONGEST_KEY:
            return None
        key_hash = key_hash_of(key)
        found = self._database.read_remembered(
            ("session", key_hash), lambda connection: self._read(connection, key_hash, key)
        )
        return found if found is not None and self._lives(found.session, self._now()) else None

    def _lives(self, session: Session, now: int) -> bool:
        return now < session.expires_at and now - session.used_at < self._idle

    def _read(self, connection: Connection, key_hash: bytes, key: str) -> SignedIn | None:
        session = store.find_session(connection, key_hash)
        if session is None:
            return None
        if session.outside is not None:
            outside = msgspec.json.decode(session.outside, type=OutsidePerson)
            return SignedIn(outside.principal, outside.name, outside.name, session, key)
        person = store.find(connection, session.person_id)
        if person is None or person.disabled_at is not None:
            return None
        tenant = next(one for one in tenants.tenants(connection) if one.id == person.tenant_id)
        return SignedIn(person.principal(tenant), person.name, person.user_name, session, key, person)

    def _now(self) -> int:
        return int(self._clock() * 1000)


def key_hash_of(key: str) -> bytes:
    """What is kept of a session's key."""
    return hashlib.sha256(key.encode("utf-8", "surrogatepass")).digest()


def _unwritten(error: BaseException) -> None:
    # It is written with the next use.
    _log.warning("session.unwritten", problem=type(error).__name__)
