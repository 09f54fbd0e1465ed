"""People: who they are, how they show it, and their sessions in the portal. Roles are assigned to them as to
applications.
"""

from headland.identity.people.outside_sign_in import Journey, OutsideSignIn
from headland.identity.people.passwords import Passwords
from headland.identity.people.records import OutsidePerson, Person, Session
from headland.identity.people.sessions import Sessions, SignedIn
from headland.identity.people.sign_in import Browser, Entry, SignIn
from headland.identity.people.sign_in_errors import (
    CodesOnError,
    ProviderError,
    SetUpCodeError,
    SignInError,
    TooManyAttemptsError,
    WrongCodeError,
    WrongCredentialsError,
)

__all__ = [
    "Browser",
    "CodesOnError",
    "Entry",
    "Journey",
    "OutsidePerson",
    "OutsideSignIn",
    "Passwords",
    "Person",
    "ProviderError",
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
