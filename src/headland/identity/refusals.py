"""Why a token request is refused: every case with its status, OAuth 2.0 error, and AADSTS number and text.

Numbers and openings of the texts are those that clients of the hosted directory know and look for
(https://learn.microsoft.com/entra/identity-platform/reference-error-codes).
"""

import uuid
from dataclasses import dataclass
from datetime import UTC, datetime

from headland.identity.wire import TokenRefusal

#: What callers sent is quoted up to here.
LONGEST_QUOTE = 256


@dataclass(frozen=True, slots=True)
class Case:
    """A reason to refuse. `{names}` in the text are filled in when it is raised."""

    status: int
    error: str
    code: int
    text: str


MALFORMED = Case(
    400, "invalid_request", 9002313, "Invalid request. Request is malformed or invalid. {problem}"
)
MEDIA_TYPE = Case(415, "invalid_request", 9002313, MALFORMED.text)
BODY_TIMEOUT = Case(408, "invalid_request", 9002313, MALFORMED.text)
TOO_LARGE = Case(413, "invalid_request", 9002313, MALFORMED.text)
WRONG_METHOD = Case(
    405,
    "invalid_request",
    900561,
    "The endpoint only accepts {allowed} requests. Received a {method} request.",
)
MISSING = Case(
    400, "invalid_request", 900144, "The request body must contain the following parameter: '{parameter}'."
)
MISSING_IN_QUERY = Case(
    400, "invalid_request", 90014, "The required field '{parameter}' is missing from the request."
)
UNKNOWN_TENANT = Case(
    400,
    "invalid_request",
    90002,
    "Tenant '{tenant}' not found. Check the tenant in the address: it is the tenant id, or the tenant's name, "
    "that was given when the application was registered.",
)
MALFORMED_TENANT = Case(
    400,
    "invalid_request",
    900023,
    "Specified tenant identifier '{tenant}' is neither a valid DNS name, nor a valid external domain.",
)
UNSUPPORTED_GRANT = Case(
    400,
    "unsupported_grant_type",
    70003,
    "The app requested an unsupported grant type '{grant}'. Only 'client_credentials' is supported.",
)
# The value is not quoted: whoever confuses client id and secret would find the secret in logs.
MALFORMED_CLIENT = Case(
    400,
    "unauthorized_client",
    700038,
    "The value of 'client_id' is not a valid application identifier. An application (client) id is a GUID.",
)
UNKNOWN_CLIENT = Case(
    400,
    "unauthorized_client",
    700016,
    "Application with identifier '{client}' was not found in the directory '{tenant}'. This can happen if the "
    "application has been deleted, or was registered in another tenant.",
)
DISABLED_CLIENT = Case(400, "unauthorized_client", 7000112, "Application '{client}'({name}) is disabled.")
NO_CREDENTIALS = Case(
    401,
    "invalid_client",
    7000218,
    "The request body must contain the following parameter: 'client_assertion' or 'client_secret'.",
)
ASSERTION_TYPE = Case(
    400,
    "invalid_request",
    90023,
    "Invalid STS request. 'client_assertion_type' must be "
    "'urn:ietf:params:oauth:client-assertion-type:jwt-bearer'.",
)
ASSERTION_MALFORMED = Case(
    401, "invalid_client", 50027, "JWT token is invalid or malformed. The client assertion is none. {problem}"
)
ASSERTION_ALGORITHM = Case(
    401,
    "invalid_client",
    5002738,
    "Invalid JWT token. '{algorithm}' is not a supported signature algorithm. Supported signing algorithms are: "
    "'{supported}'",
)
ASSERTION_WITHOUT_KEY = Case(
    401,
    "invalid_client",
    5002723,
    "Invalid JWT token. No certificate SHA-1 thumbprint, certificate SHA-256 thumbprint, nor keyId specified in "
    "token header.",
)
ASSERTION_OF_ANOTHER = Case(
    401,
    "invalid_client",
    700021,
    "Client assertion application identifier doesn't match 'client_id' parameter. Its 'iss' and 'sub' must both "
    "be the client id.",
)
ASSERTION_AUDIENCE = Case(
    401,
    "invalid_client",
    700023,
    "Client assertion audience claim does not match Realm issuer. Its 'aud' must be the address of the tenant's "
    "token endpoint, as one string.",
)
ASSERTION_TIME = Case(
    401,
    "invalid_client",
    700024,
    "Client assertion is not within its valid time range. Current time: {now}, assertion valid from {start}, "
    "expiry time of assertion {end}. It may be valid for 24 hours at the most.",
)
ASSERTION_KEY_UNKNOWN = Case(
    401,
    "invalid_client",
    700027,
    "The certificate with identifier used to sign the client assertion is not registered on application. "
    "[Reason - The key was not found., Thumbprint of key used by client: '{key}']",
)
ASSERTION_SIGNATURE = Case(
    401,
    "invalid_client",
    700027,
    "Client assertion contains an invalid signature. [Reason - The signature does not fit the certificate., "
    "Thumbprint of key used by client: '{key}']",
)
ASSERTION_KEY_EXPIRED = Case(
    401,
    "invalid_client",
    700027,
    "The certificate with identifier used to sign the client assertion is expired on application, or not valid "
    "yet. [Reason - The key used is expired., Thumbprint of key used by client: '{key}', Found key 'Start={start}, "
    "End={end}']",
)
# The hosted directory lets assertions be used again, so it has no number of its own for this.
ASSERTION_USED = Case(
    401,
    "invalid_client",
    50013,
    "Assertion failed validation because of various reasons. The client assertion has been used before, or has no "
    "'jti' by which that could be known; sign a new one for each token.",
)
WRONG_SECRET = Case(
    401,
    "invalid_client",
    7000215,
    "Invalid client secret provided. Ensure the secret being sent in the request is the client secret value, "
    "not the client secret ID, for a secret added to app '{client}'.",
)
EXPIRED_SECRET = Case(
    401,
    "invalid_client",
    7000222,
    "The provided client secret keys for app '{client}' are expired. Ask an administrator for a new secret.",
)
SCOPE_WITHOUT_DEFAULT = Case(
    400,
    "invalid_scope",
    1002012,
    "The provided value for scope {scope} is not valid. Client credential flows must have a scope value with "
    "/.default suffixed to the resource identifier (application ID URI).",
)
MALFORMED_SCOPE = Case(
    400,
    "invalid_scope",
    70011,
    "The provided value for the input parameter 'scope' is not valid. The scope {scope} is not valid.",
)
SEVERAL_SCOPES = Case(
    400,
    "invalid_scope",
    28000,
    "Provided value for the input parameter scope is not valid because it contains more than one resource. "
    "Scope {scope} is not valid.",
)
UNKNOWN_RESOURCE = Case(
    400,
    "invalid_resource",
    500011,
    "The resource principal named {resource} was not found in the tenant named {tenant}. This can happen if the "
    "resource is not among those of this deployment's settings.",
)
UNKNOWN_INSTANCE = Case(400, "invalid_instance", 50049, "Unknown or invalid instance.")
THROTTLED = Case(
    429,
    "temporarily_unavailable",
    90055,
    "There are too many incoming requests: too many attempts with wrong credentials were made for this application, "
    "or from this address. Right ones are taken at any time.",
)
UNAVAILABLE = Case(503, "temporarily_unavailable", 90033, "A transient error has occurred. Please try again.")
INTERNAL = Case(500, "server_error", 50000, "There was an error issuing a token. The log has more.")

CASES = tuple(value for value in list(globals().values()) if isinstance(value, Case))

#: What is told to those who try credentials that are not good.
FAILED_ATTEMPTS = frozenset(
    {
        UNKNOWN_CLIENT,
        WRONG_SECRET,
        EXPIRED_SECRET,
        ASSERTION_AUDIENCE,
        ASSERTION_TIME,
        ASSERTION_KEY_UNKNOWN,
        ASSERTION_SIGNATURE,
        ASSERTION_KEY_EXPIRED,
        ASSERTION_USED,
    }
)


class TokenRefusedError(Exception):
    """A request for a token, or for discovery, is refused."""

    #: Seconds after which the same request may do better, where that is known.
    retry_after: int | None = None

    def __init__(self, case: Case, **values: str) -> None:
        self.case = case
        self.text = case.text.format_map({name: _quotable(value) for name, value in values.items()})
        super().__init__(self.text)


def refusal(error: TokenRefusedError, public_url: str, correlation_id: str, now: float) -> TokenRefusal:
    """What goes over the wire; `now` in seconds since 1970."""
    timestamp = datetime.fromtimestamp(now, UTC).strftime("%Y-%m-%d %H:%M:%SZ")
    trace_id = str(uuid.uuid4())
    code = error.case.code
    return TokenRefusal(
        error=error.case.error,
        error_description=f"AADSTS{code}: {error.text} "
        f"Trace ID: {trace_id} Correlation ID: {correlation_id} Timestamp: {timestamp}",
        error_codes=[code],
        timestamp=timestamp,
        trace_id=trace_id,
        correlation_id=correlation_id,
        error_uri=f"{public_url}/error?code={code}",
    )


def _quotable(value: str) -> str:
    """`value` cut to a length that fits a message, without what would disturb a terminal or a log."""
    shown = value if len(value) <= LONGEST_QUOTE else value[:LONGEST_QUOTE] + "…"
    return "".join(character if character.isprintable() else "?" for character in shown)
