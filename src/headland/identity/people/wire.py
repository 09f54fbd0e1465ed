"""People over HTTP, in camel case."""

from datetime import datetime

from msgspec import UNSET, Struct, UnsetType


class NewPerson(Struct, frozen=True, rename="camel", forbid_unknown_fields=True):
    """Somebody to add."""

    user_name: str
    #: By which others know them; else the user name.
    name: str | None = None
    administrator: bool = False


class PersonChange(Struct, frozen=True, rename="camel", forbid_unknown_fields=True):
    """What to change in a person; the rest stays."""

    name: str | UnsetType = UNSET
    administrator: bool | UnsetType = UNSET
    disabled: bool | UnsetType = UNSET


class Person(Struct, frozen=True, rename="camel"):
    """Somebody who may sign in to the portal."""

    object_id: str
    tenant_id: str
    user_name: str
    name: str
    administrator: bool
    disabled: bool
    #: Whether it has chosen a password.
    set_up: bool
    one_time_codes: bool
    created_at: datetime
    created_by: str | None
    #: When it last signed in.
    last_used_at: datetime | None


class People(Struct, frozen=True):
    """The people of the tenant."""

    people: list[Person]


class Session(Struct, frozen=True, rename="camel"):
    """A browser in which a person is signed in."""

    id: str
    #: What the browser calls itself.
    agent: str
    #: Where it was when the person signed in; empty where that is not known.
    address: str
    created_at: datetime
    #: To the minute.
    last_used_at: datetime


class Sessions(Struct, frozen=True):
    """Where a person is signed in."""

    sessions: list[Session]


class SetUp(Struct, frozen=True, rename="camel"):
    """How a person sets up its account. The code is shown here and never again."""

    person: Person
    set_up_code: str
    #: Opened in a browser, it fills in the code; it stands behind a `#`, which no browser sends.
    set_up_link: str
    expires_at: datetime
