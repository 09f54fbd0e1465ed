"""Sign people in by providers elsewhere, whose tokens are taken anyway (`security.issuers`).

What has to be known when the browser comes back, it carries itself meanwhile, in a cookie that no other site can
set. A sign-in is good in the browser that began it, once, and by the provider that it was begun with.
"""

import asyncio
import hmac
import secrets
from collections.abc import Mapping, Sequence
from typing import Any, Final

import msgspec
import structlog

from headland.database import Database
from headland.identity.people.records import OutsidePerson
from headland.identity.people.sessions import Sessions
from headland.identity.people.sign_in import Browser
from headland.identity.people.sign_in_errors import ProviderError
from headland.security import Guard, Verifier
from headland.security.outside import IssuerUnavailableError, code_flow
from headland.security.token_errors import TokenError
from headland.settings import IssuerSettings, ProviderSettings

_log = structlog.get_logger("headland.identity")

#: Claims of which the first one present is what somebody is called.
_NAMES: Final = ("name", "preferred_username", "email", "sub")


class Journey(msgspec.Struct, frozen=True):
    """A sign-in that is under way."""

    #: The provider's place in the settings.
    provider: int
    state: str
    nonce: str
    verifier: str
    going_to: str

    def packed(self) -> str:
        """For a cookie."""
        return msgspec.json.encode(self).hex()

    @classmethod
    def unpacked(cls, text: str) -> "Journey | None":
        """What `packed` made; None for anything else."""
        try:
            return msgspec.json.decode(bytes.fromhex(text), type=cls)
        except (ValueError, msgspec.DecodeError):
            return None


class OutsideSignIn:
    """The way to a session by somebody else's word."""

    def __init__(
        self,
        database: Database,
        sessions: Sessions,
        providers: Sequence[tuple[ProviderSettings, IssuerSettings]],
        *,
        verifier: Verifier,
        redirect_uri: str,
        timeout: float,
    ) -> None:
        """`timeout` is how many seconds a provider gets to answer."""
        self._database = database
        self._sessions = sessions
        self._providers = providers
        self._verifier = verifier
        self._redirect_uri = redirect_uri
        self._timeout = timeout

    @property
    def names(self) -> list[str]:
        """What the providers are called."""
        return [provider.name for provider, _ in self._providers]

    async def begin(self, number: int, going_to: str) -> tuple[str, Journey]:
        """Where the browser goes, and what it carries until it is back.

        Raises:
            ProviderError: there is no such provider, or it can't be asked.
        """
        if not 0 <= number < len(self._providers):
            raise ProviderError
        provider, issuer = self._providers[number]
        state, nonce, verifier = (secrets.token_urlsafe(32) for _ in range(3))
        journey = Journey(number, state, nonce, verifier, going_to)
        query = {
            "response_type": "code",
            "client_id": provider.client_id,
            "redirect_uri": self._redirect_uri,
            "scope": " ".join(provider.scopes),
            "state": journey.state,
            "nonce": journey.nonce,
            "code_challenge": code_flow.challenge(journey.verifier),
            "code_challenge_method": "S256",
        }
        try:
            url = await asyncio.to_thread(code_flow.authorization_url, issuer, query, self._timeout)
        except IssuerUnavailableError as error:
            _log.warning("sign_in.provider_away", issuer=issuer.issuer, reason=str(error))
            raise ProviderError from None
        return url, journey

    async def end(self, journey: Journey | None, answer: Mapping[str, str], browser: Browser) -> str:
        """A session's key.

        Args:
            journey: what the browser has carried.
            answer: what the provider has sent it back with.

        Raises:
            ProviderError: it was not begun here, or the provider vouches for nobody.
        """
        if (
            journey is None
            or not 0 <= journey.provider < len(self._providers)
            or not hmac.compare_digest(journey.state.encode(), answer.get("state", "").encode())
            or not answer.get("code")
        ):
            _log.info("sign_in.refused", address=browser.address, problem=answer.get("error", "")[:80])
            raise ProviderError
        provider, issuer = self._providers[journey.provider]
        form = {
            "code": answer["code"],
            "redirect_uri": self._redirect_uri,
            "code_verifier": journey.verifier,
        }
        known = (provider.client_id, provider.client_secret)
        try:
            token = await asyncio.to_thread(code_flow.identity_token, issuer, known, form, self._timeout)
            principal = await Guard(self._verifier, frozenset({provider.client_id}), id_tokens=True).by_token(
                token
            )
        except (IssuerUnavailableError, TokenError) as error:
            _log.warning("sign_in.provider_failed", issuer=issuer.issuer, reason=str(error))
            raise ProviderError from None
        claims = code_flow.claims_of(token)
        # The verifier takes the tokens of any issuer that is trusted: this one's were asked for.
        if claims.get("iss") != issuer.issuer or claims.get("nonce") != journey.nonce:
            _log.warning("sign_in.provider_failed", issuer=issuer.issuer, reason="another sign-in's token")
            raise ProviderError
        if not _is_for(claims, provider.client_id):
            _log.warning("sign_in.provider_failed", issuer=issuer.issuer, reason="a token for somebody else")
            raise ProviderError
        person = OutsidePerson(
            tenant_id=principal.tenant_id,
            client_id=principal.client_id,
            object_id=principal.object_id,
            roles=tuple(sorted(principal.roles)),
            name=next(str(claims[name]) for name in _NAMES if claims.get(name)),
            provider=provider.name,
            issuer=issuer.issuer,
        )
        key = await self._database.write(
            lambda connection: self._sessions.begin(
                connection, person, browser.agent, address=browser.address, instead_of=browser.present
            )
        )
        _log.info("sign_in.done", person=person.object_id, issuer=issuer.issuer)
        return key


def _is_for(claims: Mapping[str, Any], client_id: str) -> bool:
    """Whether an ID token was issued to the client, and not to another one for which it is good, too
    (https://openid.net/specs/openid-connect-core-1_0.html section 3.1.3.7, 3 to 5).
    """
    audiences = claims["aud"] if isinstance(claims["aud"], list) else [claims["aud"]]
    party = claims.get("azp", client_id if audiences == [client_id] else None)
    return client_id in audiences and party == client_id
