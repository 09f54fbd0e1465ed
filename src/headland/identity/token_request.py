"""A token request as it came: form, header, grant and credentials, before anybody looks into the database."""

import base64
from collections.abc import Mapping
from dataclasses import dataclass, field
from urllib.parse import unquote_plus

from starlette.requests import Request

from headland.http.bodies import BodyError, parse_media_type, read_body
from headland.http.headers import header
from headland.identity import refusals
from headland.identity.assertions import JWT_BEARER, Assertion
from headland.identity.forms import URLENCODED, FormError, parse_multipart, parse_urlencoded
from headland.identity.identifiers import is_guid
from headland.identity.refusals import TokenRefusedError

#: Forms are small; the largest hold a signed assertion of some kilobytes.
LARGEST_FORM = 65_536

CLIENT_CREDENTIALS = "client_credentials"


@dataclass(frozen=True, slots=True)
class TokenRequest:
    """Who asks by which credential, and for what."""

    #: In lower case, as it is stored.
    client_id: str
    #: A secret's value, or a signed assertion.
    credential: str | Assertion = field(repr=False)
    #: The scope (v2.0) or resource (v1), exactly as sent.
    target: str


@dataclass(frozen=True, slots=True)
class Sent:
    """A token request as it came."""

    #: `Content-Type` and `Authorization`, as they are.
    content_type: str
    authorization: str | None = field(repr=False)
    body: bytes = field(repr=False)

    @classmethod
    async def read(cls, request: Request) -> "Sent":
        """The whole request. Nothing is taken from the query string: it ends up in logs and histories
        (RFC 6749 section 2.3.1).

        Raises:
            TokenRefusedError: the body is too large or malformed.
        """
        try:
            body = await read_body(request, LARGEST_FORM, setting="")
        except BodyError as error:
            cases = {408: refusals.BODY_TIMEOUT, 413: refusals.TOO_LARGE}
            case = cases.get(error.status, refusals.MALFORMED)
            raise TokenRefusedError(case, problem=error.message) from None
        scope = request.scope
        return cls(header(scope, b"content-type") or "", header(scope, b"authorization"), body)

    def form(self, media_types: tuple[str, ...]) -> dict[str, str]:
        """The fields of the body, which is a form of one of these media types.

        A request without a body and without a content type is an empty form, so that the answer can say what
        belongs into it.

        Raises:
            TokenRefusedError: it is of another media type, or malformed.
        """
        media_type, parameters = parse_media_type(self.content_type)
        if not self.body and not media_type:
            return {}
        if media_type not in media_types:
            raise TokenRefusedError(
                refusals.MEDIA_TYPE,
                problem=f"Send the parameters as {' or '.join(media_types)}, not as '{media_type}'.",
            )
        try:
            if media_type == URLENCODED:
                return parse_urlencoded(self.body)
            return parse_multipart(self.body, parameters.get("boundary", ""))
        except FormError as error:
            raise TokenRefusedError(refusals.MALFORMED, problem=str(error)) from None


def token_request(fields: Mapping[str, str], authorization: str | None, target: str) -> TokenRequest:
    """What is asked; `target` is `scope` or `resource`. A field with an empty value counts as not sent
    (RFC 6749 section 3.2).

    Raises:
        TokenRefusedError: a parameter is missing, or grant, client id or credentials are not as they must be.
    """
    sent = {name: value for name, value in fields.items() if value}
    basic = _basic(authorization) if authorization is not None else None
    if basic is not None:
        _check_only_basic(sent, basic[0])
        sent["client_id"] = basic[0]
    for name in ("grant_type", "client_id", target):
        if not sent.get(name):
            raise TokenRefusedError(refusals.MISSING, parameter=name)
    if sent["grant_type"] != CLIENT_CREDENTIALS:
        raise TokenRefusedError(refusals.UNSUPPORTED_GRANT, grant=sent["grant_type"])
    client_id = sent["client_id"].lower()
    if not is_guid(client_id):
        raise TokenRefusedError(refusals.MALFORMED_CLIENT)
    credential = basic[1] if basic is not None else _form_credential(sent, client_id)
    if not credential:
        raise TokenRefusedError(refusals.NO_CREDENTIALS)
    return TokenRequest(client_id, credential, sent[target])


def loggable_client_id(fields: Mapping[str, str], authorization: str | None) -> str | None:
    """The client id for a log line, if it is one: a confused caller may have sent a secret in its place."""
    client_id = fields.get("client_id", "")
    if not client_id and authorization is not None:
        try:
            basic = _basic(authorization)
        except TokenRefusedError:
            return None
        client_id = basic[0]
    return client_id if is_guid(client_id) else None


def _form_credential(sent: Mapping[str, str], client_id: str) -> str | Assertion:
    secret = sent.get("client_secret", "")
    if "client_assertion" not in sent and "client_assertion_type" not in sent:
        return secret
    if secret:
        raise TokenRefusedError(
            refusals.MALFORMED, problem="Send either 'client_secret' or 'client_assertion', not both."
        )
    for name in ("client_assertion", "client_assertion_type"):
        if name not in sent:
            raise TokenRefusedError(refusals.MISSING, parameter=name)
    if sent["client_assertion_type"] != JWT_BEARER:
        raise TokenRefusedError(refusals.ASSERTION_TYPE)
    assertion = Assertion.read(sent["client_assertion"])
    if assertion.client_id != client_id:
        raise TokenRefusedError(refusals.ASSERTION_OF_ANOTHER)
    return assertion


def _check_only_basic(sent: Mapping[str, str], client_id: str) -> None:
    for name in ("client_secret", "client_assertion"):
        if name in sent:
            raise TokenRefusedError(
                refusals.MALFORMED,
                problem=f"Send credentials either in the Authorization header or as '{name}', not both.",
            )
    if sent.get("client_id", client_id).lower() != client_id.lower():
        raise TokenRefusedError(
            refusals.MALFORMED,
            problem="The Authorization header and 'client_id' name different applications.",
        )


def _basic(authorization: str) -> tuple[str, str]:
    """Client id and secret, which are urlencoded before they are joined (RFC 6749 section 2.3.1)."""
    scheme, _, credentials = authorization.partition(" ")
    if scheme.lower() != "basic":
        raise TokenRefusedError(
            refusals.MALFORMED, problem="The Authorization header may only hold HTTP Basic credentials."
        )
    try:
        client_id, colon, secret = (
            base64.b64decode(credentials.strip(), validate=True).decode().partition(":")
        )
        if colon:
            return unquote_plus(client_id, errors="strict"), unquote_plus(secret, errors="strict")
    except ValueError:
        pass
    raise TokenRefusedError(
        refusals.MALFORMED, problem="The Authorization header holds no well-formed HTTP Basic credentials."
    )
