"""The portal as an application, and what its errors look like."""

import hashlib
from base64 import b64encode
from collections.abc import Callable
from typing import Any, cast

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from headland.database import Database, DatabaseUnavailableError
from headland.http.application import Application, Renderer
from headland.http.bodies import BodyError
from headland.http.failures import internal_error_text
from headland.http.operations import Operation
from headland.identity.failed_attempts import SignInAttempts
from headland.identity.people import OutsideSignIn, Passwords, Sessions, SignIn
from headland.portal import guarding
from headland.portal.assets import Assets
from headland.portal.guarding import ForgedError
from headland.portal.inside import Asgi, RefusedError
from headland.portal.pages import PAGES
from headland.portal.pages.sign_in import BACK, show_sign_in_form
from headland.portal.portal import Portal
from headland.portal.rendering import SCRIPT, STYLE, Rendering
from headland.portal.visits import SignInNeededError, Visit
from headland.security import Verifier
from headland.settings import Settings

PREFIX = "/portal"


def _digest(text: str) -> str:
    return f"'sha256-{b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


#: Nothing from elsewhere, nothing that stands in a page itself but the one style and the one script, and nothing of a
#: page in anybody else's (CSP 3, section 6.7.3.3).
POLICY = (
    f"default-src 'none'; script-src 'self' {_digest(SCRIPT)}; style-src 'self' {_digest(STYLE)}; "
    "img-src 'self' data: blob:; font-src 'self'; connect-src 'self'; worker-src 'self'; form-action 'self'; "
    "base-uri 'none'; frame-ancestors 'none'"
)


_NO_ROLE = (
    "None of your roles allows it. Whoever administers the instance, or its subscription, can give you one: send them "
    "what the service says."
)


def portal_app(
    database: Database,
    settings: Settings,
    inside: Asgi,
    verifier: Verifier,
    passwords: Passwords | None = None,
    **clock: Callable[[], float],
) -> Application:
    """To be mounted at `PREFIX`.

    Args:
        inside: reaches the services, as `Listener.answer_inside` does.
        verifier: knows the keys of providers elsewhere.
        clock: as `clock`, tells seconds since 1970.
    """
    assets = Assets()
    limits = settings.portal
    sessions = Sessions(database, idle=limits.session_idle, lifetime=limits.session_lifetime, **clock)
    attempts = SignInAttempts(limits.sign_ins_a_minute)
    sign_in = SignIn(database, sessions, passwords or Passwords(), attempts, **clock)
    issuers = {issuer.issuer: issuer for issuer in settings.security.issuers}
    outside = OutsideSignIn(
        database,
        sessions,
        [(provider, issuers[provider.issuer]) for provider in limits.providers],
        verifier=verifier,
        redirect_uri=f"{settings.server.public_url}{BACK}",
        timeout=settings.security.fetch_timeout,
    )
    portal = Portal(settings, sessions, sign_in, outside, assets, Rendering(assets), inside)
    errors: dict[type[Exception], Renderer] = {
        SignInNeededError: _sign_in_needed,
        ForgedError: _forged,
        RefusedError: _refused,
        BodyError: _body,
        DatabaseUnavailableError: _unavailable,
        HTTPException: _http_error,
        Exception: _internal,
    }
    return Application([*PAGES, assets.operation()], errors, policy=POLICY, portal=portal)


def portal_entrance() -> Application:
    """What leads to the portal, to be mounted at the root."""

    async def enter(_request: Request) -> Response:
        return RedirectResponse(f"{PREFIX}/", 302)

    doors = ("/", PREFIX)
    return Application(
        [Operation("GET", path, enter, "To the portal.", {}, guarded=False) for path in doors], {}
    )


async def _sign_in_needed(request: Request, _: Exception) -> Response:
    if request.headers.get("hx-request") == "true":
        # A part of a page is of no use: have the whole page go.
        return Response(status_code=401, headers={"hx-redirect": f"{PREFIX}/sign-in"})
    visit = _visit(request)
    wanted = request.url.path if request.method == "GET" else ""
    if request.url.query and wanted:
        wanted += f"?{request.url.query}"
    response = show_sign_in_form(visit, 401, going_to=wanted)
    guarding.keep(response, guarding.VISIT, visit.key)
    return response


async def _forged(request: Request, _: Exception) -> Response:
    return _told(
        request,
        403,
        "This form is too old",
        "It was made for another session, or did not come from this portal. Go back, load the page again, and send "
        "it once more. Nothing was changed.",
    )


async def _refused(request: Request, error: Exception) -> Response:
    problem = cast("RefusedError", error)
    titles = {403: "You may not do this", 404: "There is no such thing", 409: "That does not go together"}
    title = titles.get(problem.status, "That did not work")
    # Where something fails in a service the page fails with it; what it says is of the service's own wording.
    if problem.code == "AuthorizationFailed":
        return _told(request, problem.status, title, _NO_ROLE, problem.message)
    return _told(request, problem.status, title, problem.message)


async def _body(request: Request, error: Exception) -> Response:
    problem = cast("BodyError", error)
    return _told(request, problem.status, "That can't be read", problem.message)


async def _unavailable(request: Request, _: Exception) -> Response:
    response = _told(
        request,
        503,
        "Back in a moment",
        "The database can't be reached now. Load the page again in a little while.",
    )
    response.headers["retry-after"] = "1"
    return response


async def _http_error(request: Request, error: Exception) -> Response:
    problem = cast("HTTPException", error)
    if problem.status_code == 405:
        response = _told(request, 405, "Not like this", f"{request.method} is not for this page.")
        response.headers.update(problem.headers or {})
        return response
    return _told(
        request, problem.status_code, "There is no such page", "The address may be old, or mistyped."
    )


async def _internal(request: Request, _: Exception) -> Response:
    text = internal_error_text(getattr(request.state, "request_id", None))
    return _told(request, 500, "Something went wrong", text)


def _told(request: Request, status: int, title: str, message: str, said: str = "") -> Response:
    """`said` is the service's own word for it, for whoever can do something about it."""
    values: dict[str, Any] = {"title": title, "message": message, "number": status, "service_said": said}
    return _visit(request).show("told.html", status, **values)


def _visit(request: Request) -> Visit:
    """The request without its form: enough to say what is wrong with it."""
    portal = cast("Portal", request.app.state.portal)
    key = guarding.session_key(request)
    try:
        who = portal.sessions.find(key) if key else None
    except DatabaseUnavailableError:
        who = None
    return Visit(request, portal, who, who.key if who else guarding.visit_key(request))
