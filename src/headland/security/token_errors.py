"""Why a token is not taken."""

from typing import TYPE_CHECKING

from joserfc.errors import JoseError

if TYPE_CHECKING:
    from headland.security.issuers import TrustedIssuer


#: Of what can't be read, or says too little.
MALFORMED = "The token is not a JWT of a trusted issuer: header or claims are malformed."


#: What is raised for a JWT that can't be read or checked, whoever wrote it: JSON of the wrong types where the library
#: takes the right ones for granted, such as `crit`, and JSON that is nested deeper than the stack.
UNREADABLE = (JoseError, ValueError, TypeError, RecursionError)


class TokenError(Exception):
    """A token is not good. The message says why, in words that may be shown to the caller.

    `kind` is for programs: `expired`, `audience`, or empty for any other reason.
    """

    def __init__(self, message: str, kind: str = "") -> None:
        super().__init__(message)
        self.kind = kind


class UnknownKeyError(TokenError):
    """The token names a key that its issuer is not known to publish: it may have made it since it was asked."""

    def __init__(self, issuer: "TrustedIssuer", kid: str) -> None:
        super().__init__("The token is signed with a key that its issuer does not publish.")
        self.issuer = issuer
        self.kid = kid
