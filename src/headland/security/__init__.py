"""The relying side: who is calling? Bearer token or secret in, `Principal` out. May it do that?"""

from headland.security.authorization import Authorizer
from headland.security.guard import AuthenticationError, Guard, TooManyAttemptsError
from headland.security.issuers import TrustedIssuer
from headland.security.principal import ADMINISTRATOR, TENANT_ADMINISTRATOR, Principal
from headland.security.token_errors import TokenError
from headland.security.verifier import Verifier

__all__ = [
    "ADMINISTRATOR",
    "TENANT_ADMINISTRATOR",
    "AuthenticationError",
    "Authorizer",
    "Guard",
    "Principal",
    "TokenError",
    "TooManyAttemptsError",
    "TrustedIssuer",
    "Verifier",
]
