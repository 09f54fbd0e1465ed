"""The service at the other end: requests with authorization, answers or errors that a person can read."""

import ssl
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, Self

import httpx

from headland.cli.errors import CliError
from headland.cli.exit_codes import ExitCode
from headland.cli.profile import Profile
from headland.cli.refusals import document_of, refusal, transport_faults
from headland.cli.surroundings import Surroundings
from headland.cli.tokens import Tokens
from headland.settings import Home

#: A kill is answered when the process has gone, and an upload when it is on disk.
_TIMEOUT = httpx.Timeout(120.0, connect=10.0)

_HEADERS = {"User-Agent": "headland-cli", "Accept": "application/json", "X-Requested-By": "headland-cli"}


class Service:
    """One deployment, called as one application."""

    def __init__(self, profile: Profile, surroundings: Surroundings) -> None:
        self.profile = profile
        trust = True if profile.private or surroundings.transport else _trust(profile)
        self._client = httpx.Client(
            headers=_HEADERS, timeout=_TIMEOUT, verify=trust, transport=surroundings.transport
        )
        self.tokens = Tokens(self._client, profile, surroundings.now)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._client.close()

    def call(
        self,
        method: str,
        path: str,
        *,
        body: Mapping[str, Any] | None = None,
        query: Mapping[str, Any] | None = None,
        content: Callable[[], Iterable[bytes]] | None = None,
        headers: Mapping[str, str] | None = None,
        missing: CliError | None = None,
    ) -> httpx.Response:
        """The answer to a request, if it is a success.

        Args:
            path: below the profile's address, percent-encoded already.
            query: parameters; None values are left out.
            content: makes the body to stream, anew for each attempt.
            missing: what 404 means here.

        Raises:
            CliError: anything else.
        """

        def build() -> httpx.Request:
            return self._client.build_request(
                method,
                self.profile.url + path,
                params=_given(query),
                json=body,
                content=content() if content else None,
                headers=headers,
            )

        with transport_faults(self.profile.url):
            response = self._send(build, missing, stream=False)
            response.read()
        return response

    def document(self, method: str, path: str, **request: Any) -> dict[str, Any]:
        """The JSON object that answers a request; keywords are those of `call`."""
        return document_of(self.call(method, path, **request))

    @contextmanager
    def stream(
        self,
        path: str,
        *,
        query: Mapping[str, Any] | None = None,
        headers: Mapping[str, str] | None = None,
        missing: CliError | None = None,
    ) -> Iterator[httpx.Response]:
        """The answer to GET with its body yet to be read; keywords are those of `call`."""

        def build() -> httpx.Request:
            url = self.profile.url + path
            return self._client.build_request("GET", url, params=_given(query), headers=headers)

        with transport_faults(self.profile.url):
            response = self._send(build, missing, stream=True)
            try:
                yield response
            finally:
                response.close()

    def _send(
        self, build: Callable[[], httpx.Request], missing: CliError | None, *, stream: bool
    ) -> httpx.Response:
        response = self._attempt(build(), stream=stream)
        if response.status_code == 401 and not self.profile.private:
            # The token may have been revoked, or its key retired, since it was cached.
            response.close()
            self.tokens.drop()
            response = self._attempt(build(), stream=stream)
        if response.is_success:
            return response
        response.read()
        response.close()
        raise missing if missing and response.status_code == 404 else refusal(response, self.profile)

    def _attempt(self, request: httpx.Request, *, stream: bool) -> httpx.Response:
        return self._client.send(request, stream=stream, auth=self._authorization())

    def _authorization(self) -> Callable[[httpx.Request], httpx.Request] | httpx.Auth | None:
        profile = self.profile
        if profile.private:
            if profile.client_id and profile.client_secret:
                return httpx.BasicAuth(profile.client_id, profile.client_secret)
            return None
        token = self.tokens.token()

        def bearer(request: httpx.Request) -> httpx.Request:
            request.headers["Authorization"] = f"Bearer {token}"
            return request

        return bearer


def _given(query: Mapping[str, Any] | None) -> dict[str, Any] | None:
    return {name: value for name, value in (query or {}).items() if value is not None} or None


def _trust(profile: Profile) -> ssl.SSLContext:
    """An explicit CA is trusted alone; the local CA beside the system's, since a home may be here by chance."""
    local = Home.default().ca_certificate
    try:
        context = ssl.create_default_context(cafile=profile.ca)
        if profile.ca is None and local.exists():
            context.load_verify_locations(local)
    except OSError as error:  # ssl.SSLError is one
        raise CliError(
            f"the CA file {profile.ca or local} can't be used ({error.strerror or error})",
            "name a PEM file with `headland login --ca FILE`, or in HEADLAND_CA",
            ExitCode.USAGE,
        ) from None
    return context
