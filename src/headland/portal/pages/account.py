"""One's own account: password, one-time codes, and where one is signed in."""

from typing import Any

from starlette.responses import Response

from headland.identity import InvalidFieldError
from headland.identity.people import Entry, SignInError, TooManyAttemptsError, one_time_codes
from headland.portal.pages.sign_in import keep_entry
from headland.portal.visits import Visit, page

_PATH = "/portal/account"


async def show_account(visit: Visit) -> Response:
    return _account(visit)


async def change_password(visit: Visit) -> Response:
    form = visit.form
    if form.get("password", "") != form.get("again", ""):
        return _account(visit, 400, field="again", problem="The passwords differ.")
    try:
        entry = await visit.portal.sign_in.change_password(
            form.get("before", ""), form.get("password", ""), visit.browser, visit.actor
        )
    except InvalidFieldError as error:
        return _account(visit, 400, field=error.field, problem=f"It {error.problem}")
    except SignInError as error:
        return _account(visit, _refused(error), field="before", problem=str(error))
    return _go_on(visit, entry, "Your password is changed. Everywhere else you are signed out.")


async def switch_codes_on(visit: Visit) -> Response:
    form = visit.form
    secret = one_time_codes.from_text(form.get("secret", ""))
    if secret is None:
        return _account(visit, 400, field="code", problem="The key is not complete. Try again.")
    try:
        key = await visit.portal.sign_in.switch_codes_on(
            secret, form.get("code", ""), form.get("current", ""), visit.browser, visit.actor
        )
    except InvalidFieldError as error:
        problem = f"It {error.problem}"
        return _account(visit, 400, field="current", problem=problem, secret=secret)
    except SignInError as error:
        return _account(visit, _refused(error), field="code", problem=str(error), secret=secret)
    said = "From now on a one-time code is asked for when you sign in. Everywhere else you are signed out."
    return _go_on(visit, Entry(key, None), said)


async def switch_codes_off(visit: Visit) -> Response:
    try:
        key = await visit.portal.sign_in.switch_codes_off(
            visit.form.get("code", ""), visit.browser, visit.actor
        )
    except SignInError as error:
        return _account(visit, _refused(error), field="code", problem=str(error))
    return _go_on(visit, Entry(key, None), "One-time codes are off. Everywhere else you are signed out.")


async def end_session(visit: Visit) -> Response:
    person_id = visit.person.principal.object_id
    ended = await visit.portal.sessions.end_one(person_id, visit.path("session"))
    return visit.go(_PATH, "That browser is signed out." if ended else "That browser was signed out already.")


def _go_on(visit: Visit, entry: Entry, said: str) -> Response:
    """To the account, in the session that has another key now."""
    visit.key = entry.key
    response = visit.go(_PATH, said)
    keep_entry(response, entry)
    return response


def _refused(error: SignInError) -> int:
    """The status of the page: 401 would say that nobody is signed in."""
    return 429 if isinstance(error, TooManyAttemptsError) else 400


def _account(
    visit: Visit, status: int = 200, field: str = "", problem: str = "", secret: bytes | None = None
) -> Response:
    who = visit.person
    values: dict[str, Any] = {"field": field, "problem": problem, "said": visit.said}
    values["listed"] = visit.portal.sessions.of(who.principal.object_id)
    if who.person is not None and who.person.totp_secret is None:
        secret = secret or one_time_codes.new_secret()
        values["secret"] = one_time_codes.as_text(secret)
        values["secret_address"] = one_time_codes.address(secret, who.user_name, "Headland")
    return visit.show("account.html", status, **values)


PAGES = (
    page("GET", "/account", show_account),
    page("POST", "/account/password", change_password),
    page("POST", "/account/codes/on", switch_codes_on),
    page("POST", "/account/codes/off", switch_codes_off),
    page("POST", "/account/sessions/{session}/end", end_session),
)
