"""Records of people as they go over the wire."""

from headland.identity.people import wire
from headland.identity.people.people import SetUp
from headland.identity.people.records import Person, Session
from headland.identity.views import moment, perhaps


def person_view(person: Person) -> wire.Person:
    return wire.Person(
        object_id=person.object_id,
        tenant_id=person.tenant_id,
        user_name=person.user_name,
        name=person.name,
        administrator=person.administrator,
        disabled=person.disabled_at is not None,
        set_up=person.password_hash is not None,
        one_time_codes=person.totp_secret is not None,
        created_at=moment(person.created_at),
        created_by=person.created_by,
        last_used_at=perhaps(person.last_used_at),
    )


def session_view(session: Session) -> wire.Session:
    return wire.Session(
        id=session.id,
        agent=session.agent,
        address=session.address,
        created_at=moment(session.created_at),
        last_used_at=moment(session.used_at),
    )


def set_up_view(made: SetUp, public_url: str) -> wire.SetUp:
    return wire.SetUp(
        person=person_view(made.person),
        set_up_code=made.code,
        set_up_link=f"{public_url}/portal/set-up#{made.code}",
        expires_at=moment(made.person.set_up_expires_at or made.person.created_at),
    )
