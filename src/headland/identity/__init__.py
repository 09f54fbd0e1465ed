"""The issuing side: tenants, applications, secrets, signing keys, and the token service."""

from headland.identity.admin_service import AdminService
from headland.identity.app import ADMIN_API, TOKEN_API, identity_admin_app, identity_app
from headland.identity.clients import SecretChecker
from headland.identity.errors import IdentityError, InvalidFieldError, NotAdministratorError
from headland.identity.failed_attempts import FailedAttempts
from headland.identity.first_start import (
    FirstAdministrator,
    initialise,
    oldest_administrator,
    reset_administrator,
)
from headland.identity.issuer import Issuer, NotInitialisedError
from headland.identity.job_tokens import JobTokenRefusedError, JobTokens
from headland.identity.key_keeper import KeyKeeper
from headland.identity.resources import Resource, resources_of

__all__ = [
    "ADMIN_API",
    "TOKEN_API",
    "AdminService",
    "FailedAttempts",
    "FirstAdministrator",
    "IdentityError",
    "InvalidFieldError",
    "Issuer",
    "JobTokenRefusedError",
    "JobTokens",
    "KeyKeeper",
    "NotAdministratorError",
    "NotInitialisedError",
    "Resource",
    "SecretChecker",
    "identity_admin_app",
    "identity_app",
    "initialise",
    "oldest_administrator",
    "reset_administrator",
    "resources_of",
]
