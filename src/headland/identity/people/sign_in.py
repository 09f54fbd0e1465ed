"""Sign people in: by password, and by one-time code where they have set that up."""

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from dataclasses import replace as with_changes

import structlog
from sqlalchemy import Connection

from headland.audit import Actor, Change
from headland.database import Database
from headland.identity.errors import InvalidFieldError
from headland.identity.failed_attempts import SignInAttempts
from headland.identity.people import changes, devices, one_time_codes, people, store
from headland.identity.people.passwords import Passwords
from headland.identity.people.records import Person
from headland.identity.people.sessions import Sessions, key_hash_of
from headland.identity.people.sign_in_errors import (
    CodesOnError,
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
    #: By which it is known to those who have signed in there (`devices`).
    marks: str = field(repr=False, default="")


@dataclass(frozen=True, slots=True)
class Entry:
    """What a browser holds from now on."""

    #: Of the session.
    key: str = field(repr=False)
    #: By which it is known; None where nobody is signed in yet: a one-time code is to follow.
    marks: str | None = field(repr=False)

    @property
    def complete(self) -> bool:
        """Whether somebody is signed in."""
        return self.marks is not None


class SignIn:
    """The ways to a session, and what is changed about them. Attempts are counted before anything is looked at: unlike
    secrets, passwords can be guessed.
    """

    def __init__(
        self,
        database: Database,
        sessions: Sessions,
        passwords: Passwords,
        attempts: SignInAttempts,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self._database = database
        self._sessions = sessions
        self._passwords = passwords
        self._attempts = attempts
        self._clock = clock

    async def by_password(self, user_name: str, password: str, browser: Browser) -> Entry:
        """A session; where one-time codes are on, one that is for nothing but the code.

        Raises:
            TooManyAttemptsError: from there, or for that name, there were too many attempts lately.
            WrongCredentialsError: there is no such account, its password is another, or it is disabled.
        """
        key = people.key_of(user_name)
        person = self._database.read(lambda connection: store.find_by_key(connection, key))
        self._count(f"password {key}", browser, person)
        right = await self._passwords.matches(person.password_hash if person else None, password)
        if person is None or not right or person.disabled_at is not None:
            _log.info("sign_in.refused", address=browser.address)
            raise WrongCredentialsError
        return await self._begin(person, browser, complete=person.totp_secret is None)

    async def by_code(self, code: str, browser: Browser) -> Entry:
        """A session, for who has shown a password in the present one, and now shows a one-time code.

        Raises:
            TooManyAttemptsError: as `by_password`.
            WrongCredentialsError: it took too long, and the password is to be shown again.
            WrongCodeError: the code is wrong.
        """
        person = self._sessions.half(browser.present or "")
        if person is None or person.totp_secret is None:
            raise WrongCredentialsError
        self._count(f"code {person.user_key}", browser, person)

        def use(connection: Connection) -> bool:
            known = store.find(connection, person.object_id)
            step = self._step(known, code)
            if known is None or step is None:
                return False
            store.change(connection, known.object_id, totp_step=step)
            return True

        if not await self._database.write(use):
            _log.info("sign_in.refused", address=browser.address)
            raise WrongCodeError
        return await self._begin(person, browser, complete=True)

    async def set_up(self, code: str, password: str, browser: Browser, actor: Actor) -> Entry:
        """A session, for who chooses a password with a set-up code.

        Raises:
            TooManyAttemptsError: as `by_password`.
            SetUpCodeError: the code is not good, or not any more.
            InvalidFieldError: it is no good password.
        """
        self._count("", browser, None)
        person = self._set_up(code)
        await self._passwords.check(password, person.user_name, person.name)
        password_hash = await self._passwords.hash(password)

        def choose(connection: Connection) -> Person:
            # Once more, in the transaction: a code is good for one.
            known = store.find_by_set_up(connection, people.hash_of(code))
            if known is None:
                raise SetUpCodeError
            people.choose_password(connection, known, password_hash)
            self._record(connection, changes.password_chosen(known), actor)
            return with_changes(known, password_hash=password_hash)

        return await self._begin(await self._database.write(choose), browser, complete=True)

    async def change_password(self, before: str, password: str, browser: Browser, actor: Actor) -> Entry:
        """Another password for who is signed in; its session goes on under another key, and all others end.

        Raises:
            TooManyAttemptsError: as `by_password`.
            WrongCredentialsError: nobody of ours is signed in.
            InvalidFieldError: `before` is not the password, or `password` no good one.
        """
        key, person = await self._shown(before, browser)
        await self._passwords.check(password, person.user_name, person.name)
        password_hash = await self._passwords.hash(password)

        def choose(connection: Connection) -> Entry:
            people.choose_password(connection, person, password_hash, key_hash_of(key))
            self._record(connection, changes.password_chosen(person), actor)
            changed = with_changes(person, password_hash=password_hash)
            marks = devices.remember(browser.marks, changed, self._clock())
            return Entry(self._sessions.renew(connection, person.object_id, key), marks)

        return await self._database.write(choose)

    async def switch_codes_on(
        self, secret: bytes, code: str, password: str, browser: Browser, actor: Actor
    ) -> str:
        """Demand one-time codes from now on of who is signed in, once it has shown its password, and a code of
        `secret`. The key under which its session goes on; all others end.

        Raises:
            TooManyAttemptsError: as `by_password`.
            WrongCredentialsError: nobody of ours is signed in.
            InvalidFieldError: `password` is not the password; the field is `before`.
            CodesOnError: they are on, with another secret perhaps: they are switched off first, which takes a code.
            WrongCodeError: the code is wrong.
        """
        key, person = await self._shown(password, browser)
        step = one_time_codes.step_of(secret, code, self._clock(), None)

        def change(connection: Connection) -> str:
            known = store.find(connection, person.object_id)
            if known is None or known.totp_secret is not None:
                raise CodesOnError
            if step is None:
                raise WrongCodeError
            store.change(connection, known.object_id, totp_secret=secret, totp_step=step)
            self._record(connection, changes.codes_switched(known, on=True), actor)
            return self._sessions.renew(connection, known.object_id, key)

        return await self._database.write(change)

    async def switch_codes_off(self, code: str, browser: Browser, actor: Actor) -> str:
        """Demand no one-time codes any more of who is signed in, once it has shown one. The key under which its session
        goes on; all others end.

        Raises:
            TooManyAttemptsError: as `by_password`.
            WrongCredentialsError: nobody of ours is signed in.
            WrongCodeError: the code is wrong.
        """
        key, person = self._signed_in(browser)
        self._count(f"code {person.user_key}", browser, person)

        def change(connection: Connection) -> str:
            known = store.find(connection, person.object_id)
            step = self._step(known, code)
            if known is None or step is None:
                raise WrongCodeError
            store.change(connection, known.object_id, totp_secret=None, totp_step=step)
            self._record(connection, changes.codes_switched(known, on=False), actor)
            return self._sessions.renew(connection, known.object_id, key)

        return await self._database.write(change)

    def _step(self, person: Person | None, code: str) -> int | None:
        """The step of a person's one-time code; None for a wrong one."""
        if person is None or person.totp_secret is None:
            return None
        return one_time_codes.step_of(person.totp_secret, code, self._clock(), person.totp_step)

    def _signed_in(self, browser: Browser) -> tuple[str, Person]:
        """The key of the present session, and whose it is."""
        found = self._sessions.find(browser.present or "")
        if found is None or found.person is None:
            raise WrongCredentialsError
        return found.key, found.person

    async def _shown(self, password: str, browser: Browser) -> tuple[str, Person]:
        """The same, for who shows the password once more."""
        key, person = self._signed_in(browser)
        self._count(f"password {person.user_key}", browser, person)
        if not await self._passwords.matches(person.password_hash, password):
            raise InvalidFieldError("before", "is not your password.")
        return key, person

    def _set_up(self, code: str) -> Person:
        code_hash = people.hash_of(code)
        person = self._database.read(lambda connection: store.find_by_set_up(connection, code_hash))
        now = int(self._clock() * 1000)
        if person is None or person.disabled_at is not None or (person.set_up_expires_at or 0) <= now:
            raise SetUpCodeError
        return person

    def _count(self, account: str, browser: Browser, person: Person | None) -> None:
        device = devices.known(browser.marks, person, self._clock())
        wait = self._attempts.add(account, browser.address, device)
        if wait is not None:
            raise TooManyAttemptsError(wait)

    async def _begin(self, person: Person, browser: Browser, *, complete: bool) -> Entry:
        key = await self._database.write(
            lambda connection: self._sessions.begin(
                connection,
                person,
                browser.agent,
                address=browser.address,
                complete=complete,
                instead_of=browser.present,
            )
        )
        if not complete:
            return Entry(key, None)
        _log.info("sign_in.done", person=person.object_id)
        return Entry(key, devices.remember(browser.marks, person, self._clock()))

    def _record(self, connection: Connection, change: Change, actor: Actor) -> None:
        change.put_on_record(connection, actor, int(self._clock() * 1000))
