"""Fetch access tokens: the client credentials grant (RFC 6749 section 4.4), on either token endpoint."""

from collections.abc import Callable, Mapping
from typing import Any
from urllib.parse import quote

import httpx

from headland.cli.errors import CliError
from headland.cli.exit_codes import ExitCode
from headland.cli.profile import Profile, require_public
from headland.cli.refusals import document_of, text_of, transport_faults
from headland.cli.token_cache import TokenCache

#: Errors that tell of the request; every other refusal tells of who asks.
_NOT_ABOUT_CREDENTIALS = frozenset({"invalid_scope", "invalid_resource", "unsupported_grant_type"})

_VARIABLES = {
    "tenant": "HEADLAND_TENANT",
    "client_id": "HEADLAND_CLIENT_ID",
    "client_secret": "HEADLAND_CLIENT_SECRET",
}


class Tokens:
    """Tokens for one profile."""

    def __init__(
        self,
        client: httpx.Client,
        profile: Profile,
        now: Callable[[], float],
        cache: TokenCache | None = None,
    ) -> None:
        self._client = client
        self._profile = profile
        self._now = now
        self._cache = cache or TokenCache()

    def token(self, scope: str | None = None) -> str:
        """A token of `scope` (else the deployment's own), from the cache if that has a good one.

        Raises:
            CliError: there are no credentials, they are refused, or the service can't be reached.
        """
        scope = scope or self._profile.scope
        cached = self._cache.get(self._profile, scope, self._now())
        return cached or str(self.fetch(scope)["access_token"])

    def fetch(self, scope: str | None = None) -> dict[str, Any]:
        """The token endpoint's whole answer; its token goes into the cache."""
        scope = scope or self._profile.scope
        answer = self._ask("oauth2/v2.0/token", {"scope": scope})
        self._cache.put(
            self._profile, scope, answer["access_token"], self._now() + float(answer.get("expires_in", 0))
        )
        return answer

    def fetch_for_resource(self, resource: str) -> dict[str, Any]:
        """The older endpoint's whole answer, which names a resource and not a scope."""
        return self._ask("oauth2/token", {"resource": resource})

    def drop(self, scope: str | None = None) -> None:
        """Forget the token of `scope`: the service did not take it."""
        self._cache.drop(self._profile, scope or self._profile.scope)

    def _ask(self, endpoint: str, wanted: Mapping[str, str]) -> dict[str, Any]:
        profile = self._profile
        tenant, client_id, secret = _credentials(profile)
        form = {
            "grant_type": "client_credentials",
            "client_id": client_id,
            "client_secret": secret,
            **wanted,
        }
        with transport_faults(profile.url):
            response = self._client.post(f"{profile.url}/{quote(tenant, safe='')}/{endpoint}", data=form)
        if response.status_code >= 400:
            raise _refused(response, secret)
        answer = document_of(response)
        if not isinstance(answer.get("access_token"), str) or not _is_number(answer.get("expires_in", 0)):
            raise CliError(
                f"the token endpoint of {profile.url} answered without a token",
                "check that the address is a Headland's",
            )
        return answer


def _credentials(profile: Profile) -> tuple[str, str, str]:
    require_public(profile, "tokens")
    tenant, client_id, secret = profile.tenant, profile.client_id, profile.client_secret
    if not (tenant and client_id and secret):
        missing = [variable for name, variable in _VARIABLES.items() if not getattr(profile, name)]
        raise CliError(
            f"there are no credentials for {profile.url}",
            f"run `headland login`, or set {', '.join(missing)}",
            ExitCode.DENIED,
        )
    return tenant, client_id, secret


def _refused(response: httpx.Response, secret: str) -> CliError:
    # What follows the first "Trace ID" is for the service's operators.
    text = text_of(response).partition("Trace ID")[0].strip().replace(secret, "…")
    if response.status_code == 429:
        wait = response.headers.get("retry-after", "60")
        return CliError(
            f"no token: {text}", f"check client id and secret, and try again in {wait} s", ExitCode.DENIED
        )
    if response.status_code >= 500:
        return CliError(
            f"the token endpoint failed with {response.status_code} ({text})", "try again later", passing=True
        )
    try:
        error = response.json()["error"]
    except (ValueError, KeyError, TypeError):
        error = None
    if error in _NOT_ABOUT_CREDENTIALS:
        return CliError(f"no token: {text}", "name another scope or resource")
    if response.status_code == 404:
        return CliError(
            f"there is no token endpoint at {response.url}", "check address and tenant", ExitCode.NOT_FOUND
        )
    return CliError(
        f"no token: {text}",
        "check tenant, client id and secret, then run `headland login`",
        ExitCode.DENIED,
    )


def _is_number(value: object) -> bool:
    return isinstance(value, int) or (isinstance(value, str) and value.isdigit())
