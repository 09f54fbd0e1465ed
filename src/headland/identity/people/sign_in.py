"""Sign people in: by password, and by one-time code where they have set that up."""

import time
from collections.abc import Callable
from dataclasses import dataclass, field

import structlog
from sqlalchemy import Connection

from headland.audit import Actor, Change
from headland.database import Database
from headland.identity.errors import InvalidFieldError
from headland.identity.failed_attempts import FailedAttempts
from headland.identity.people import changes, one_time_codes, people, store
from headland.identity.people.passwords import Passwords, check_password
from headland.identity.people.records import Person
from headland.identity.people.sessions import Sessions, key_hash_of
from headland.identity.people.sign_in_errors import (
    SetUpCodeError,
    TooManyAttemptsError,
    WrongCodeError,
    WrongCredentialsError,
)

_log = structlog.get_logger("headland.identity")


@dataclass(frozen=True, slots=True)
class Browser:
    """From where somebody signs in."""

    #: Where the request comes from.
    address: str
    #: What it calls itself.
    agent: str
    #: The key of the session that it has, if any: it is good for nothing after a sign-in.
    present: str | None = field(repr=False, default=None)


class SignIn:
    """The ways to a session. Attempts are counted before anything is looked at: unlike secrets, passwords can be
    guessed.
    """

    def __init__(
        self,
        database: Database,
        sessions: Sessions,
        passwords: Passwords,
        attempts: FailedAttempts,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self._database = database
        self._sessions = sessions
        self._passwords = passwords
        self._attempts = attempts
        self._clock = clock

    async def by_password(self, user_name: str, password: str, browser: Browser) -> tuple[str, bool]:
        """A session's key, and whether somebody is signed in by it: else a one-time code is to follow.

        Raises:
            TooManyAttemptsError: from there, or for that name, there were too many attempts lately.
            WrongCredentialsError: there is no such account, its password is another, or it is disabled.
        """
        key = people.key_of(user_name)
        self._count(key, browser.address)
        person = self._database.read(lambda connection: store.find_by_key(connection, key))
        right = await self._passwords.matches(person.password_hash if person else None, password)
        if person is None or not right or person.disabled_at is not None:
            _log.info("sign_in.refused", address=browser.address)
            raise WrongCredentialsError
        complete = person.totp_secret is None
        return await self._begin(person, browser, complete=complete), complete

    async def by_code(self, code: str, browser: Browser) -> str:
        """A session's key, for who has shown a password in the present session, and now shows a one-time code.

        Raises:
            TooManyAttemptsError: as `by_password`.
            WrongCredentialsError: it took too long, and the password is to be shown again.
            WrongCodeError: the code is wrong.
        """
        person = self._sessions.half(browser.present or "")
        if person is None or person.totp_secret is None:
            raise WrongCredentialsError
        self._count(person.user_key, browser.address)

        def use(connection: Connection) -> bool:
            known = store.find(connection, person.object_id)
            if known is None or known.totp_secret is None:
                return False
            step = one_time_codes.step_of(known.totp_secret, code, self._clock(), known.totp_step)
            if step is None:
                return False
            store.change(connection, known.object_id, totp_step=step)
            return True

        if not await self._database.write(use):
            _log.info("sign_in.refused", address=browser.address)
            raise WrongCodeError
        return await self._begin(person, browser, complete=True)

    async def set_up(self, code: str, password: str, browser: Browser, actor: Actor) -> str:
        """A session's key, for who chooses a password with a set-up code.

        Raises:
            TooManyAttemptsError: as `by_password`.
            SetUpCodeError: the code is not good, or not any more.
            InvalidFieldError: it is no good password.
        """
        self._count("", browser.address)
        person = self._set_up(code)
        check_password(password, person.user_name)
        password_hash = await self._passwords.hash(password)

        def choose(connection: Connection) -> Person:
            # Once more, in the transaction: a code is good for one.
            known = store.find_by_set_up(connection, people.hash_of(code))
            if known is None:
                raise SetUpCodeError
            people.choose_password(connection, known, password_hash)
            self._record(connection, changes.password_chosen(known), actor)
            return known

        return await self._begin(await self._database.write(choose), browser, complete=True)

    async def change_password(self, key: str, before: str, password: str, actor: Actor) -> None:
        """Another password for who is signed in by `key`; everywhere else the person is signed out.

        Raises:
            TooManyAttemptsError: as `by_password`.
            WrongCredentialsError: nobody of ours is signed in by it.
            InvalidFieldError: `before` is not the password, or `password` no good one.
        """
        found = self._sessions.find(key)
        if found is None or found.person is None:
            raise WrongCredentialsError
        person = found.person
        self._count(person.user_key, actor.source)
        if not await self._passwords.matches(person.password_hash, before):
            raise InvalidFieldError("before", "is not your password.")
        check_password(password, person.user_name)
        password_hash = await self._passwords.hash(password)

        def choose(connection: Connection) -> None:
            people.choose_password(connection, person, password_hash, key_hash_of(key))
            self._record(connection, changes.password_chosen(person), actor)

        await self._database.write(choose)

    async def use_codes(self, person: Person, secret: bytes | None, code: str, actor: Actor) -> None:
        """Demand one-time codes of a person from now on, once it has shown one; or, without `secret`, no more.

        Raises:
            WrongCodeError: the code is wrong.
        """
        known = secret or person.totp_secret
        step = known and one_time_codes.step_of(known, code, self._clock(), person.totp_step)
        if not step:
            raise WrongCodeError

        def change(connection: Connection) -> None:
            store.change(connection, person.object_id, totp_secret=secret, totp_step=step)
            self._record(connection, changes.codes_switched(person, on=secret is not None), actor)

        await self._database.write(change)

    def _set_up(self, code: str) -> Person:
        code_hash = people.hash_of(code)
        person = self._database.read(lambda connection: store.find_by_set_up(connection, code_hash))
        now = int(self._clock() * 1000)
        if person is None or person.disabled_at is not None or (person.set_up_expires_at or 0) <= now:
            raise SetUpCodeError
        return person

    def _count(self, user_key: str, address: str) -> None:
        wait = self._attempts.failed(user_key or None, address)
        if wait is not None:
            raise TooManyAttemptsError(wait)

    async def _begin(self, person: Person, browser: Browser, *, complete: bool) -> str:
        key = await self._database.write(
            lambda connection: self._sessions.begin(
                connection, person, browser.agent, complete=complete, instead_of=browser.present
            )
        )
        if complete:
            _log.info("sign_in.done", person=person.object_id)
        return key

    def _record(self, connection: Connection, change: Change, actor: Actor) -> None:
        change.put_on_record(connection, actor, int(self._clock() * 1000))
