"""Signing in and out, and setting up an account."""

from starlette.responses import Response

from headland.audit import Actor
from headland.http.request_ids import REQUEST_ID
from headland.identity import InvalidFieldError
from headland.identity.people import (
    Entry,
    Journey,
    SignInError,
    TooManyAttemptsError,
    WrongCodeError,
    WrongCredentialsError,
    devices,
)
from headland.portal import guarding
from headland.portal.visits import Visit, page

_HOME = "/portal/"

#: Where providers elsewhere send browsers back to.
BACK = "/portal/sign-in/back"
#: How long somebody may take there.
_JOURNEY_SECONDS = 600


def show_sign_in_form(
    visit: Visit, status: int = 200, *, going_to: str, user_name: str = "", problem: str = ""
) -> Response:
    """The page for who is not signed in."""
    return visit.show(
        "sign_in.html",
        status,
        going_to=going_to,
        user_name=user_name,
        problem=problem,
        providers=visit.portal.outside.names,
    )


async def show_sign_in(visit: Visit) -> Response:
    if visit.who is not None:
        return visit.go(_going_to(visit.asked("going_to")))
    return show_sign_in_form(visit, going_to=visit.asked("going_to"))


async def sign_in(visit: Visit) -> Response:
    going_to, user_name = visit.form.get("going_to", ""), visit.form.get("user_name", "")
    try:
        entry = await visit.portal.sign_in.by_password(
            user_name, visit.form.get("password", ""), visit.browser
        )
    except SignInError as error:
        return show_sign_in_form(
            visit, status_of(error), going_to=going_to, user_name=user_name, problem=str(error)
        )
    if entry.complete:
        return _signed_in(visit, entry, going_to)
    # The page is for the new session, and so are its forms.
    visit.key = entry.key
    response = visit.show("code.html", going_to=going_to, problem="")
    guarding.keep(response, guarding.SESSION, entry.key)
    # The form that follows is checked by what guards the visit: nobody is signed in yet.
    guarding.keep(response, guarding.VISIT, entry.key)
    return response


async def sign_in_by_code(visit: Visit) -> Response:
    going_to = visit.form.get("going_to", "")
    try:
        entry = await visit.portal.sign_in.by_code(visit.form.get("code", ""), visit.browser)
    except WrongCredentialsError:
        problem = "That took too long. Sign in once more."
        return show_sign_in_form(visit, 401, going_to=going_to, problem=problem)
    except SignInError as error:
        return visit.show("code.html", status_of(error), going_to=going_to, problem=str(error))
    return _signed_in(visit, entry, going_to)


async def leave_for_provider(visit: Visit) -> Response:
    number = visit.path("provider")
    try:
        url, journey = await visit.portal.outside.begin(
            int(number) if number.isdecimal() and len(number) < 4 else -1, visit.asked("going_to")
        )
    except SignInError as error:
        return show_sign_in_form(visit, 502, going_to="", problem=str(error))
    response = visit.go(url)
    guarding.keep_for(response, guarding.JOURNEY, journey.packed(), _JOURNEY_SECONDS)
    return response


async def come_back(visit: Visit) -> Response:
    journey = Journey.unpacked(guarding.cookie(visit.request, guarding.JOURNEY) or "")
    try:
        key = await visit.portal.outside.end(journey, visit.request.query_params, visit.browser)
    except SignInError as error:
        response = show_sign_in_form(visit, 401, going_to="", problem=str(error))
    else:
        response = _signed_in(visit, Entry(key, None), journey.going_to if journey else "")
    guarding.let_go(response, guarding.JOURNEY)
    return response


async def sign_out(visit: Visit) -> Response:
    await visit.portal.sessions.end(visit.person.key)
    return _signed_out(visit)


async def sign_out_everywhere(visit: Visit) -> Response:
    await visit.portal.sessions.end_all(visit.person.principal.object_id)
    return _signed_out(visit)


async def show_set_up(visit: Visit) -> Response:
    return visit.show("set_up.html", code="", problem="", field="")


async def set_up(visit: Visit) -> Response:
    code, password = visit.form.get("code", ""), visit.form.get("password", "")
    actor = Actor(visit.browser.address, request_id=REQUEST_ID.get())

    def again(status: int, field: str, problem: str) -> Response:
        return visit.show("set_up.html", status, code=code, problem=problem, field=field)

    if password != visit.form.get("again", ""):
        return again(400, "again", "The passwords differ.")
    try:
        entry = await visit.portal.sign_in.set_up(code, password, visit.browser, actor)
    except InvalidFieldError as error:
        return again(400, error.field, f"It {error.problem}")
    except SignInError as error:
        return again(status_of(error), "code", str(error))
    return _signed_in(visit, entry, "")


def _signed_in(visit: Visit, entry: Entry, going_to: str) -> Response:
    response = visit.go(_going_to(going_to))
    keep_entry(response, entry)
    guarding.let_go(response, guarding.VISIT)
    return response


def keep_entry(response: Response, entry: Entry) -> None:
    """Have the browser hold what it is given."""
    guarding.keep(response, guarding.SESSION, entry.key)
    if entry.marks is not None:
        guarding.keep_for(response, guarding.DEVICE, entry.marks, devices.LIFETIME)


def _signed_out(visit: Visit) -> Response:
    response = visit.go("/portal/sign-in")
    guarding.let_go(response, guarding.SESSION)
    response.headers["clear-site-data"] = '"cache", "storage"'
    return response


def _going_to(path: str) -> str:
    """Within the portal, wherever a link wants to lead."""
    plain = path.isprintable() and "\\" not in path
    return path if plain and path.startswith("/portal/") else _HOME


def status_of(error: SignInError) -> int:
    """The HTTP status of a page that says so."""
    if isinstance(error, TooManyAttemptsError):
        return 429
    return 401 if isinstance(error, WrongCredentialsError | WrongCodeError) else 400


PAGES = (
    page("GET", "/sign-in", show_sign_in, public=True),
    page("POST", "/sign-in", sign_in, public=True),
    page("POST", "/sign-in/code", sign_in_by_code, public=True),
    page("GET", "/sign-in/with/{provider}", leave_for_provider, public=True),
    page("GET", "/sign-in/back", come_back, public=True),
    page("POST", "/sign-out", sign_out),
    page("POST", "/sign-out/everywhere", sign_out_everywhere),
    page("GET", "/set-up", show_set_up, public=True),
    page("POST", "/set-up", set_up, public=True),
)
