"""Sign somebody in by a provider elsewhere: the authorization code flow of OpenID Connect, with PKCE (RFC 7636).

https://openid.net/specs/openid-connect-core-1_0.html section 3.1.
"""

import base64
import hashlib
import ssl
from collections.abc import Mapping
from typing import Any
from urllib.parse import quote, urlencode

import msgspec

from headland.security.outside.documents import (
    IssuerUnavailableError,
    document,
    may_be_called,
    metadata_of,
)
from headland.settings import IssuerSettings


def challenge(verifier: str) -> str:
    """RFC 7636 section 4.2, `S256`."""
    digest = hashlib.sha256(verifier.encode()).digest()
    return base64.urlsafe_b64encode(digest).rstrip(b"=").decode()


def authorization_url(settings: IssuerSettings, query: Mapping[str, str], timeout: float) -> str:
    """Where the browser goes with that query. It blocks.

    Raises:
        IssuerUnavailableError: the provider can't be asked, or says nothing of it.
    """
    import httpx  # noqa: PLC0415 - see `documents`

    try:
        with _client(settings, timeout) as client:
            address = _endpoint(metadata_of(client, settings, timeout), "authorization_endpoint")
    except (httpx.HTTPError, httpx.InvalidURL, OSError) as error:
        raise IssuerUnavailableError(str(error) or type(error).__name__) from error
    return f"{address}{'&' if '?' in address else '?'}{urlencode(query)}"


def identity_token(
    settings: IssuerSettings, client: tuple[str, str | None], form: Mapping[str, str], timeout: float
) -> str:
    """The ID token for a code, which is yet to be verified. It blocks.

    Args:
        client: client id and secret; a public client has none.
        form: `code`, `redirect_uri` and `code_verifier`.

    Raises:
        IssuerUnavailableError: the provider can't be asked, or gives none.
    """
    import httpx  # noqa: PLC0415 - see `documents`

    id_, secret = client
    body = {**form, "grant_type": "authorization_code", "client_id": id_}
    # RFC 6749 section 2.3.1: both are encoded as a form's values first.
    known = httpx.BasicAuth(quote(id_, safe=""), quote(secret, safe="")) if secret is not None else None
    try:
        with _client(settings, timeout) as http:
            address = _endpoint(metadata_of(http, settings, timeout), "token_endpoint")
            answer = document(http, address, timeout, form=body, auth=known)
    except (httpx.HTTPError, httpx.InvalidURL, OSError) as error:
        raise IssuerUnavailableError(str(error) or type(error).__name__) from error
    token = answer.get("id_token")
    if not isinstance(token, str):
        raise IssuerUnavailableError("its token endpoint gives no id_token")
    return token


def claims_of(token: str) -> dict[str, Any]:
    """The claims of a token that was verified."""
    part = token.split(".")[1]
    return msgspec.json.decode(base64.urlsafe_b64decode(part + "=" * (-len(part) % 4)), type=dict[str, Any])


def _client(settings: IssuerSettings, timeout: float) -> Any:
    import httpx  # noqa: PLC0415 - see `documents`

    context = ssl.create_default_context(cafile=settings.ca_file)
    return httpx.Client(verify=context, timeout=timeout, follow_redirects=False)


def _endpoint(metadata: Mapping[str, Any], name: str) -> str:
    url = metadata.get(name)
    if not isinstance(url, str) or not may_be_called(url):
        raise IssuerUnavailableError(f"its metadata have no {name} that may be called")
    return url
