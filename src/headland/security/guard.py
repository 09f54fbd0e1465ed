"""Ask a request who is calling: `Authorization: Bearer` (RFC 6750), and where allowed `Basic` (RFC 7617)."""

import base64
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from starlette.requests import Request

from headland.http.headers import header
from headland.security.principal import Principal
from headland.security.token_errors import TokenError, UnknownKeyError
from headland.security.verifier import Verifier

#: Where the scope of a request that this process makes of itself has its caller, whom another part of it knows: what
#: comes over the network has no such key.
KNOWN_CALLER = "headland.caller"

#: Principal of an application whose client id and secret these are, or None; the third is the address that they come
#: from. Raises TooManyAttemptsError.
SecretCheck = Callable[[str, str, str], Awaitable[Principal | None]]


class TooManyAttemptsError(Exception):
    """Too many wrong secrets came from there, or for that client: 429; in `seconds` there is room for the next."""

    def __init__(self, seconds: int) -> None:
        super().__init__(
            f"There were too many attempts with wrong credentials. Try again in {seconds} seconds."
        )
        self.seconds = seconds


class AuthenticationError(Exception):
    """A request does not show who is calling: 401, with `challenge` as `WWW-Authenticate`.

    `kind` is for programs: `missing` where nothing was shown, else what `TokenError` says.
    """

    def __init__(self, message: str, challenge: str, kind: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.challenge = challenge
        self.kind = kind


@dataclass(frozen=True, slots=True)
class Guard:
    """What one API on one listener demands of its callers."""

    verifier: Verifier
    #: Resource identifiers, without trailing slash, of which a token opens this API.
    audiences: frozenset[str]
    #: What callers are told to ask for, where there is a scope that brings such a token (RFC 6750 section 3).
    scope: str = ""
    #: Set where HTTP Basic with client id and secret is taken, too.
    check_secret: SecretCheck | None = None
    #: Whether a request may say nothing of who is calling. One that says something wrong is refused even so.
    anonymous: bool = False
    #: Whether tokens of jobs are taken, too: a job calls the services of its data, and no other.
    jobs: bool = False
    #: Whether it is ID tokens that are taken, and they alone.
    id_tokens: bool = False

    async def authenticate(self, request: Request) -> Principal | None:
        """The caller; None for nobody in particular, where that is allowed.

        Raises:
            AuthenticationError: nothing was shown, or what was shown is not good.
            TooManyAttemptsError: what was shown is not good, as it was too often lately.
        """
        authorization = header(request.scope, b"authorization")
        if authorization is None:
            known: Principal | None = request.scope.get(KNOWN_CALLER)
            if known is not None:
                return known
            if self.anonymous:
                return None
            raise AuthenticationError(
                f"A bearer token is needed: send 'Authorization: Bearer <access token>'.{self._asking()}",
                self._challenge(),
                "missing",
            )
        scheme, _, credentials = authorization.partition(" ")
        credentials = credentials.strip()
        address = request.client.host if request.client is not None else ""
        principal = await self._principal(scheme.lower(), credentials, address)
        state = request.scope.setdefault("state", {})
        state["principal"] = principal.client_id
        if principal.job:
            state["job"] = principal.job
        return principal

    async def _principal(self, scheme: str, credentials: str, address: str) -> Principal:
        if scheme == "bearer" and credentials:
            try:
                return await self.by_token(credentials)
            except TokenError as error:
                message = str(error)
                challenge = (
                    f'{self._bearer()}, error="invalid_token", error_description="{_quotable(message)}"'
                )
                if error.kind == "audience":
                    message += self._asking()
                raise AuthenticationError(message, challenge, error.kind) from None
        if scheme == "basic" and self.check_secret is not None:
            principal = await self._by_secret(credentials, address, self.check_secret)
            if principal is not None:
                return principal
            raise AuthenticationError("Client id or secret is wrong.", self._challenge())
        # What was sent is not repeated: it may be a token whose sender forgot the word before it.
        raise AuthenticationError(
            "This kind of authorization is not taken here: send 'Authorization: Bearer <access token>'."
            + self._asking(),
            self._challenge(),
        )

    async def by_token(self, token: str) -> Principal:
        """Whose token it is.

        Raises:
            TokenError: it is not good here.
        """
        try:
            return self._verify(token)
        except UnknownKeyError as error:
            refresh = error.issuer.refresh
            if refresh is None or not await refresh(error.kid):
                raise
        return self._verify(token)

    def _verify(self, token: str) -> Principal:
        return self.verifier.verify(token, self.audiences, jobs=self.jobs, id_token=self.id_tokens)

    async def _by_secret(self, credentials: str, address: str, check: SecretCheck) -> Principal | None:
        try:
            client_id, colon, secret = base64.b64decode(credentials, validate=True).decode().partition(":")
        except ValueError:
            return None
        return await check(client_id, secret, address) if colon else None

    def _challenge(self) -> str:
        return 'Basic realm="headland", charset="UTF-8"' if self.check_secret else self._bearer()

    def _bearer(self) -> str:
        return 'Bearer realm="headland"' + (f', scope="{self.scope}"' if self.scope else "")

    def _asking(self) -> str:
        return f" Ask for a token with the scope '{self.scope}'." if self.scope else ""


def _quotable(text: str) -> str:
    # The header is Latin-1 and the text between quotes (RFC 6750 section 3): keep to what both allow.
    return "".join(c if " " <= c <= "~" and c not in '"\\' else "?" for c in text)
