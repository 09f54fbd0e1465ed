"""People: who they are, how they show it, and their sessions in the portal. Roles are assigned to them as to
applications.
"""

from headland.identity.people.passwords import Passwords
from headland.identity.people.records import OutsidePerson, Person, Session
from headland.identity.people.sessions import Sessions, SignedIn
from headland.identity.people.sign_in import Browser, SignIn
from headland.identity.people.sign_in_errors import (
    SetUpCodeError,
    SignInError,
    TooManyAttemptsError,
    WrongCodeError,
    WrongCredentialsError,
)

__all__ = [
    "Browser",
    "OutsidePerson",
    "Passwords",
    "Person",
    "Session",
    "Sessions",
    "SetUpCodeError",
    "SignIn",
    "SignInError",
    "SignedIn",
    "TooManyAttemptsError",
    "WrongCodeError",
    "WrongCredentialsError",
]
