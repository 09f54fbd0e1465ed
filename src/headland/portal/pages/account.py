"""One's own account: password, one-time codes, and where one is signed in."""

from typing import Any

from starlette.responses import Response

from headland.identity import InvalidFieldError
from headland.identity.people import SignInError, one_time_codes
from headland.portal.visits import Visit, page

_PATH = "/portal/account"


async def show_account(visit: Visit) -> Response:
    return _account(visit)


async def change_password(visit: Visit) -> Response:
    form = visit.form
    if form.get("password", "") != form.get("again", ""):
        return _account(visit, 400, field="again", problem="The passwords differ.")
    try:
        await visit.portal.sign_in.change_password(
            visit.person.key, form.get("before", ""), form.get("password", ""), visit.actor
        )
    except InvalidFieldError as error:
        return _account(visit, 400, field=error.field, problem=f"It {error.problem}")
    except SignInError as error:
        return _account(visit, 400, field="before", problem=str(error))
    return visit.go(_PATH, "Your password is changed. Everywhere else you are signed out.")


async def switch_codes_on(visit: Visit) -> Response:
    person = visit.person.person
    secret = one_time_codes.from_text(visit.form.get("secret", ""))
    if person is None or secret is None:
        return _account(visit, 400, field="code", problem="The key is not complete. Try again.")
    try:
        await visit.portal.sign_in.use_codes(person, secret, visit.form.get("code", ""), visit.actor)
    except SignInError as error:
        return _account(visit, 400, field="code", problem=str(error), secret=secret)
    return visit.go(_PATH, "From now on a one-time code is asked for when you sign in.")


async def switch_codes_off(visit: Visit) -> Response:
    person = visit.person.person
    if person is None:
        return _account(visit)
    try:
        await visit.portal.sign_in.use_codes(person, None, visit.form.get("code", ""), visit.actor)
    except SignInError as error:
        return _account(visit, 400, field="code", problem=str(error))
    return visit.go(_PATH, "One-time codes are off.")


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
)
