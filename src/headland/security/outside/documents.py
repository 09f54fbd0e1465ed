"""Fetch what a provider publishes: its metadata, and the keys that these name.

Only configured addresses are called, and redirections are not followed: neither a token nor a provider's answer
leads this program anywhere else.
"""

import ssl
import time
from collections.abc import Mapping
from typing import Any
from urllib.parse import urlsplit

import msgspec

from headland.security.outside.keys import KeySetError, PublishedKeys, published_keys
from headland.settings import LOOPBACK, IssuerSettings

#: Bytes; the largest of the known providers has some 10 kB.
LARGEST = 1_048_576


class IssuerUnavailableError(Exception):
    """The provider can't be asked, or answers with something else. The message says why, for the log."""


def fetch_keys(settings: IssuerSettings, timeout: float) -> PublishedKeys:
    """The keys that the provider publishes now. It blocks, for `timeout` seconds a document at the most.

    Raises:
        IssuerUnavailableError: they can't be had.
    """
    # A quarter of a second to import, which deployments without such issuers need not pay for.
    import httpx  # noqa: PLC0415

    try:
        context = ssl.create_default_context(cafile=settings.ca_file)
        with httpx.Client(verify=context, timeout=timeout, follow_redirects=False) as client:
            keys_url = _keys_url(settings, metadata_of(client, settings, timeout))
            return published_keys(document(client, keys_url, timeout))
    except (httpx.HTTPError, httpx.InvalidURL, OSError, KeySetError) as error:
        raise IssuerUnavailableError(str(error) or type(error).__name__) from error


def metadata_of(client: Any, settings: IssuerSettings, timeout: float) -> dict[str, Any]:
    """What the provider says of itself.

    Raises:
        IssuerUnavailableError: it says nothing, or that it is another one.
    """
    metadata = document(client, metadata_url(settings.issuer), timeout)
    # https://openid.net/specs/openid-connect-discovery-1_0.html section 4.3: otherwise one issuer could hand out
    # another one's keys as its own.
    if metadata.get("issuer") != settings.issuer:
        raise IssuerUnavailableError("its metadata name another issuer")
    return metadata


def metadata_url(issuer: str) -> str:
    """https://openid.net/specs/openid-connect-discovery-1_0.html section 4.1."""
    return f"{issuer.rstrip('/')}/.well-known/openid-configuration"


def may_be_called(url: str) -> bool:
    """Whether nobody can listen in: HTTPS, or this very machine."""
    parts = urlsplit(url)
    return parts.scheme == "https" or (parts.scheme == "http" and parts.hostname in LOOPBACK)


def origin(url: str) -> tuple[str, str | None, int | None]:
    """Scheme, host and port (RFC 6454 section 4)."""
    parts = urlsplit(url)
    return parts.scheme, parts.hostname, parts.port or {"https": 443, "http": 80}.get(parts.scheme)


def _keys_url(settings: IssuerSettings, metadata: dict[str, Any]) -> str:
    url = metadata.get("jwks_uri")
    if not isinstance(url, str):
        raise IssuerUnavailableError("its metadata have no jwks_uri")
    try:
        allowed = origin(url) in {origin(known) for known in (settings.issuer, *settings.jwks_origins)}
    except ValueError:
        allowed = False
    if not allowed or not may_be_called(url):
        raise IssuerUnavailableError("its jwks_uri leads to an origin that the settings don't allow")
    return url


def document(
    client: Any, url: str, timeout: float, form: Mapping[str, str] | None = None, auth: Any = None
) -> dict[str, Any]:
    """The JSON object at `url`, or that a form is answered with there.

    Raises:
        IssuerUnavailableError: there is none.
    """
    deadline = time.monotonic() + timeout
    method, headers = "GET" if form is None else "POST", {"accept": "application/json"}
    with client.stream(method, url, data=form, headers=headers, auth=auth) as answer:
        if answer.status_code != 200:
            raise IssuerUnavailableError(f"{url} answered {answer.status_code}")
        content = bytearray()
        for chunk in answer.iter_bytes():
            content += chunk
            if len(content) > LARGEST:
                raise IssuerUnavailableError(f"{url} answered more than {LARGEST} bytes")
            if time.monotonic() > deadline:
                raise IssuerUnavailableError(f"{url} did not end in {timeout} s")
    try:
        return msgspec.json.decode(bytes(content), type=dict[str, Any])
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        raise IssuerUnavailableError(f"{url} did not answer with a JSON object") from None
