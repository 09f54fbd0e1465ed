"""From what HTTP says to what a person can do: one place for every answer that is not a success."""

import json
import ssl
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import httpx

from headland.cli.errors import BusyError, CliError, one_line
from headland.cli.exit_codes import ExitCode
from headland.cli.profile import Profile

#: Answers that a service gives while it starts, stops or is overtaxed.
_PASSING = frozenset({502, 503, 504})

_LONGEST_TEXT = 400

#: What to do about refusals of the services', by their codes: the command that helps.
_REMEDIES = {
    "AuthorizationFailed": "ask an administrator for a role on it, by `headland role assign`",
    "LocationNotAvailableForResourceGroup": "`headland provider show` has the regions",
    "LocationNotAvailableForResourceType": "`headland provider show` has the regions",
    "MissingSubscriptionRegistration": "`headland provider register` registers it, by an Owner or Contributor "
    "of the subscription",
    "PrincipalNotFound": "`headland app list` and `headland person list` show who there is",
    "ResourceGroupNotFound": "`headland group create` makes it, `headland group list` shows those there are",
    "ResourcePurchaseValidationFailed": "`headland subscription accept-terms` accepts them",
    "RoleDefinitionDoesNotExist": "`headland role definitions` lists those there are",
    "SubscriptionNotFound": "`headland subscription list` shows those open to you, "
    "and `headland subscription request` asks for one",
    "SubscriptionStillUsed": "`headland instance delete` deletes one, `headland instance list` shows them",
}


def refusal(response: httpx.Response, profile: Profile) -> CliError:
    """The error that an answer of 300 and above tells of."""
    status, text = response.status_code, text_of(response)
    remedy = _REMEDIES.get(_code_of(response))
    if status == 401:
        return CliError(f"{profile.url} wants to know who calls ({text})", _login(profile), ExitCode.DENIED)
    if status == 403:
        return CliError(
            f"not allowed ({text})", remedy or "log in as an application that may do this", ExitCode.DENIED
        )
    if status == 404:
        return CliError(
            text if remedy else f"{response.request.method} {response.url.path} found nothing ({text})",
            remedy or f"check the name, and that {profile.url} is the right service",
            ExitCode.NOT_FOUND,
        )
    if status >= 500:
        request_id = response.headers.get("x-request-id", "unknown")
        return (BusyError if status == 503 else CliError)(
            f"the service failed with {status} ({text})",
            f"its log has more under request id {request_id}",
            passing=status in _PASSING,
            uncertain=status != 503,
        )
    if status < 400:
        return CliError(f"{profile.url} answered {status}, a redirection", "name the service's own address")
    return CliError(f"refused with {status}: {text}", remedy or "correct the request and try again")


@contextmanager
def transport_faults(url: str) -> Iterator[None]:
    """Turn httpx's exceptions into errors of exit code 6.

    Raises:
        CliError: the service can't be reached, is not trusted, or broke off.
    """
    try:
        yield
    except httpx.TransportError as error:
        raise _unreachable(url, error) from None
    except (httpx.HTTPError, httpx.InvalidURL) as error:
        raise CliError(f"{url} can't be used ({error})", "check the address", ExitCode.USAGE) from None


def document_of(response: httpx.Response) -> dict[str, Any]:
    """The JSON object in a successful answer.

    Raises:
        CliError: there is none, so whoever answered is no Headland.
    """
    try:
        document = response.json()
    except ValueError:
        document = None
    if not isinstance(document, dict):
        raise CliError(
            f"{response.request.method} {response.url} was not answered with a JSON object",
            "check that the address is a Headland's and not a proxy's",
        )
    return document


def text_of(response: httpx.Response) -> str:
    """What an error body says, whichever of the services' forms it has."""
    try:
        body = json.loads(response.content)
    except ValueError:
        text = "" if b"<html" in response.content[:1000].lower() else response.text
        return one_line(text)[:_LONGEST_TEXT] or response.reason_phrase
    return one_line(_text_in(body))[:_LONGEST_TEXT] or response.reason_phrase


def _code_of(response: httpx.Response) -> str:
    """The code of an error in the resource manager's form, if it is one."""
    try:
        error = json.loads(response.content)["error"]
        return str(error["code"])
    except (ValueError, KeyError, TypeError):
        return ""


def _text_in(body: object) -> str:
    if isinstance(body, str):
        return body
    if isinstance(body, dict):
        for name in ("msg", "error_description", "message", "detail", "error"):
            if text := _text_in(body.get(name)):
                return text
    return ""


def _login(profile: Profile) -> str:
    if profile.private:
        return (
            "set HEADLAND_CLIENT_ID and HEADLAND_CLIENT_SECRET, and on the service "
            "`server.private_authentication` to `basic` or `none`"
        )
    return "run `headland login` again"


def _unreachable(url: str, error: httpx.TransportError) -> CliError:
    problem = _cause(error, ssl.SSLCertVerificationError)
    if isinstance(problem, ssl.SSLCertVerificationError):
        if problem.verify_code in {62, 64}:
            return CliError(
                f"the certificate of {url} is for another name ({problem.verify_message})",
                "call the service by a name in its certificate, or add the name to its `tls.names`",
                ExitCode.UNREACHABLE,
            )
        return CliError(
            f"the certificate of {url} is not trusted ({problem.verify_message})",
            "name its CA's file with `headland login --ca FILE`, or in HEADLAND_CA",
            ExitCode.UNREACHABLE,
        )
    if isinstance(error, httpx.ConnectError | httpx.ConnectTimeout):
        return CliError(
            f"{url} can't be reached ({_reason(error)})",
            "check that the service runs, and the address in HEADLAND_URL or of `headland login`",
            ExitCode.UNREACHABLE,
            passing=True,
        )
    return CliError(
        f"{url} broke off ({_reason(error)})",
        "try again",
        ExitCode.UNREACHABLE,
        passing=True,
        uncertain=True,
    )


def _reason(error: Exception) -> str:
    system = _cause(error, OSError)
    text = system.strerror if isinstance(system, OSError) and system.strerror else str(error)
    return text or type(error).__name__


def _cause(error: BaseException, kind: type[BaseException]) -> BaseException | None:
    link: BaseException | None = error
    while link is not None and not isinstance(link, kind):
        link = link.__cause__ or link.__context__
    return link
