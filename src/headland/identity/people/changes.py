"""Changes of people as the audit trail has them: what a reader needs, and no secret."""

from typing import Any

from headland.audit import Change, difference
from headland.identity.people.records import Person


def added(made: Person) -> Change:
    return Change("person.added", _target(made), made.tenant_id, after=_shown(made))


def changed(before: Person, after: Person) -> Change | None:
    """It has another name, other rights, or was disabled or enabled; None where it is as it was."""
    return difference("person.changed", _target(after), after.tenant_id, _shown(before), _shown(after))


def was_reset(person: Person) -> Change:
    """It is to choose a password anew."""
    return Change("person.reset", _target(person), person.tenant_id)


def deleted(gone: Person) -> Change:
    return Change("person.deleted", _target(gone), gone.tenant_id, _shown(gone))


def password_chosen(person: Person) -> Change:
    return Change("person.password-chosen", _target(person), person.tenant_id)


def codes_switched(person: Person, *, on: bool) -> Change:
    """One-time codes are demanded of it, or no more."""
    before, after = {"oneTimeCodes": not on}, {"oneTimeCodes": on}
    return Change("person.codes-switched", _target(person), person.tenant_id, before, after)


def session_ended(person: Person, session_id: str) -> Change:
    """It is signed out of one browser."""
    return Change("person.session-ended", _target(person), person.tenant_id, before={"session": session_id})


def _target(person: Person) -> str:
    return f"person/{person.object_id}"


def _shown(person: Person) -> dict[str, Any]:
    return {
        "userName": person.user_name,
        "name": person.name,
        "administrator": person.administrator,
        "disabled": person.disabled_at is not None,
    }
