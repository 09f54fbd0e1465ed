"""Rules of people's accounts. Each function is one change, or one look, in one transaction.

A person is seen within its own tenant alone; for others it does not exist.
"""

import hashlib
import re
import secrets
from dataclasses import dataclass, field
from dataclasses import replace as with_changes

from sqlalchemy import Connection

from headland.identity.errors import InvalidFieldError, PersonNotFoundError, UserNameTakenError
from headland.identity.identifiers import is_guid, new_id
from headland.identity.names import check_name
from headland.identity.people import store
from headland.identity.people.records import Person

LONGEST_USER_NAME = 120
_USER_NAME = re.compile(r"[^\W_][\w.@+-]*")

#: Milliseconds for which an account may be set up.
SET_UP_LIFETIME = 3 * 86_400_000


@dataclass(frozen=True, slots=True)
class SetUp:
    """A code by which somebody can set up an account, once: choose its password. It is known now and never again."""

    person: Person
    code: str = field(repr=False)


def add(
    connection: Connection,
    tenant_id: str,
    user_name: str,
    *,
    name: str | None,
    administrator: bool,
    created_by: str | None,
    now: int,
) -> SetUp:
    """A new person, who is yet to choose a password; `created_by` is the object id of who adds it.

    Raises:
        InvalidFieldError: `user_name` or `name` is none.
        UserNameTakenError: somebody has the user name.
    """
    key = key_of(user_name)
    if len(user_name) > LONGEST_USER_NAME or _USER_NAME.fullmatch(user_name) is None:
        raise InvalidFieldError(
            "userName",
            f"must have between 1 and {LONGEST_USER_NAME} letters, digits and . _ @ + -, and begin with a letter "
            "or digit.",
        )
    shown = user_name if name is None else name
    check_name(shown)
    if store.find_by_key(connection, key) is not None:
        raise UserNameTakenError
    code = _new_code()
    made = Person(
        object_id=new_id(),
        tenant_id=tenant_id,
        user_name=user_name,
        user_key=key,
        name=shown,
        administrator=administrator,
        password_hash=None,
        totp_secret=None,
        totp_step=None,
        set_up_hash=hash_of(code),
        set_up_expires_at=now + SET_UP_LIFETIME,
        created_at=now,
        created_by=created_by,
    )
    store.add(connection, made)
    return SetUp(made, code)


def get(connection: Connection, tenant_id: str, named: str) -> Person:
    """The person with that object id or user name.

    Raises:
        PersonNotFoundError: the tenant has none such.
    """
    found = (
        store.find(connection, named.lower())
        if is_guid(named)
        else store.find_by_key(connection, key_of(named))
    )
    if found is None or found.tenant_id != tenant_id:
        raise PersonNotFoundError
    return found


def change(
    connection: Connection,
    person: Person,
    *,
    name: str | None = None,
    administrator: bool | None = None,
    disabled: bool | None = None,
    now: int,
) -> Person:
    """The person under another name, as an administrator or not, disabled or not; None leaves a thing as it is.
    A disabled person is signed out everywhere.

    Raises:
        InvalidFieldError: `name` is no name.
    """
    changed = person
    if name is not None:
        check_name(name)
        changed = with_changes(changed, name=name)
    if administrator is not None:
        changed = with_changes(changed, administrator=administrator)
    if disabled is not None and disabled != (person.disabled_at is not None):
        changed = with_changes(changed, disabled_at=now if disabled else None)
        store.delete_sessions(connection, person.object_id)
    store.put(connection, changed)
    return changed


def reset(connection: Connection, person: Person, now: int) -> SetUp:
    """Take password and one-time codes from a person, who chooses anew by the code; it is signed out everywhere."""
    code = _new_code()
    changed = with_changes(
        person,
        password_hash=None,
        totp_secret=None,
        totp_step=None,
        set_up_hash=hash_of(code),
        set_up_expires_at=now + SET_UP_LIFETIME,
    )
    store.put(connection, changed)
    store.delete_sessions(connection, person.object_id)
    return SetUp(changed, code)


def delete(connection: Connection, person: Person) -> None:
    """Delete a person, and its sessions. Roles that it has been given open nothing any more: nobody else gets its
    object id.
    """
    store.delete(connection, person.object_id)


def choose_password(connection: Connection, person: Person, password_hash: str, besides: bytes = b"") -> None:
    """Give a person its password; it is signed out everywhere but in the session with that key's hash. Its set-up code
    is used up.
    """
    store.change(
        connection,
        person.object_id,
        password_hash=password_hash,
        set_up_hash=None,
        set_up_expires_at=None,
    )
    store.delete_sessions(connection, person.object_id, besides=besides)


def key_of(user_name: str) -> str:
    """A user name as it is compared."""
    return user_name.strip().casefold()


def hash_of(code: str) -> bytes:
    """What is kept of a set-up code: it is 144 random bits, and needs no slow hash."""
    return hashlib.sha256(code.strip().encode("utf-8", "surrogatepass")).digest()


def _new_code() -> str:
    return secrets.token_urlsafe(18)
