"""A request of a browser on its way through a page, and the one place where it is let in."""

from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar, cast
from urllib.parse import parse_qsl, urlencode

from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response

from headland.audit import Actor
from headland.audit.trail import actor_of
from headland.http.bodies import BodyError, media_type_of, read_body
from headland.http.forms import MULTIPART, Part, read_form
from headland.http.operations import Operation
from headland.identity.people import Browser, SignedIn
from headland.portal import guarding
from headland.portal.inside import Inside
from headland.portal.navigation import sections
from headland.portal.portal import Portal

#: Bytes of a form.
LARGEST_FORM = 262_144

T = TypeVar("T")

#: Entries on a page of a list that is looked through here.
_SIZE = 50

_UNCACHED = {"cache-control": "no-store"}


class SignInNeededError(Exception):
    """Nobody is signed in."""


@dataclass(frozen=True, slots=True)
class Sent:
    """A file that came with a form."""

    #: As the browser calls it; "" where none was chosen.
    name: str
    content: bytes


@dataclass
class Visit:
    """A request that was let in."""

    request: Request
    portal: Portal
    #: None on the pages that are for everybody.
    who: SignedIn | None
    #: What guards the forms of this browser.
    key: str
    #: The form that was sent, where one was; of a name that comes more than once the last.
    form: dict[str, str] = field(default_factory=dict)
    #: The same, with all that came.
    fields: list[tuple[str, str]] = field(default_factory=list)
    #: The file that came with it, on the pages that take one.
    file: Sent | None = None

    @property
    def person(self) -> SignedIn:
        """Who is signed in.

        Raises:
            SignInNeededError: nobody is.
        """
        if self.who is None:
            raise SignInNeededError
        return self.who

    @property
    def inside(self) -> Inside:
        """The services, with the rights of who is signed in."""
        return Inside(self.portal.inside, self.request, self.person.principal)

    @property
    def actor(self) -> Actor:
        """Who is signed in, as the audit trail has it."""
        return actor_of(self.request, self.person.principal)

    @property
    def goes_on(self) -> bool:
        """Whether who is signed in still is: asked by answers without an end."""
        return self.portal.sessions.goes_on(self.key)

    @property
    def browser(self) -> Browser:
        """From where the request comes."""
        client, headers = self.request.client, self.request.headers
        return Browser(
            client.host if client is not None else "unknown",
            headers.get("user-agent", ""),
            guarding.session_key(self.request),
            guarding.cookie(self.request, guarding.DEVICE) or "",
        )

    @property
    def partial(self) -> bool:
        """Whether a script asks, for a part of a page."""
        return self.request.headers.get("hx-request") == "true"

    def path(self, name: str) -> str:
        """A parameter of the path."""
        return str(self.request.path_params[name])

    def asked(self, name: str, default: str = "") -> str:
        """A parameter of the query."""
        return self.request.query_params.get(name, default)

    def number(self, name: str) -> int:
        """A parameter of the query that counts something; 0 where it does not."""
        text = self.asked(name)
        return int(text) if text.isdecimal() and len(text) < 10 else 0

    def found(
        self, everything: Sequence[T], named: Callable[[T, str], bool]
    ) -> tuple[Sequence[T], dict[str, Any]]:
        """Those on the page that is asked for of what is `named` as is asked for, and what the page says of them."""
        find, start = self.asked("find").strip(), self.number("from")
        wanted = find.casefold()
        shown = [each for each in everything if named(each, wanted)]
        told = {"find": find, "start": start, "size": _SIZE, "total": len(shown), "number": len(everything)}
        return shown[start : start + _SIZE], told

    @property
    def said(self) -> str:
        """What `go` had to say; nothing where it was somebody else who made the address."""
        text = self.asked("said")
        return text if guarding.is_sealed(self.key, text, self.asked("seal")) else ""

    def show(self, template: str, status: int = 200, **values: Any) -> Response:
        """A page."""
        return HTMLResponse(self.text(template, **values), status, _UNCACHED)

    def text(self, template: str, **values: Any) -> str:
        """A page's HTML."""
        return self.portal.rendering.page(
            template,
            who=self.who,
            csrf=guarding.form_token(self.key),
            sections=sections(self.portal.settings, self.who),
            here=self.request.url.path,
            built="htmx.min.js" in self.portal.assets,
            **values,
        )

    def go(self, path: str, said: str = "") -> Response:
        """Send the browser on, after a form (RFC 9110 section 15.4.4)."""
        if said:
            query = urlencode({"said": said, "seal": guarding.seal(self.key, said)})
            path += ("&" if "?" in path else "?") + query
        return RedirectResponse(path, 303, _UNCACHED)


Page = Callable[[Visit], Awaitable[Response]]


def page(
    method: str,
    path: str,
    answer: Page,
    *,
    public: bool = False,
    largest: int = LARGEST_FORM,
    largest_file: int | None = None,
) -> Operation:
    """A page, for who is signed in; or, where it is `public`, for everybody. What a form sends, of at most `largest`
    bytes, is taken from our own pages alone; a file only where it says how many bytes that may have.
    """

    async def handle(request: Request) -> Response:
        portal = cast("Portal", request.app.state.portal)
        key = guarding.session_key(request)
        who = portal.sessions.find(key) if key else None
        if who is not None:
            request.scope["state"]["principal"] = who.principal.client_id
            visit = Visit(request, portal, who, who.key)
        else:
            visit = Visit(request, portal, None, guarding.visit_key(request))
        if method == "POST":
            if who is None and largest_file is not None:
                raise SignInNeededError
            await _take_form(visit, largest, largest_file)
        if who is None and not public:
            raise SignInNeededError
        response = await answer(visit)
        if visit.who is None and guarding.cookie(request, guarding.VISIT) is None:
            guarding.keep(response, guarding.VISIT, visit.key)
        return response

    return Operation(method, path, handle, "A page.", {}, guarded=False)


async def _take_form(visit: Visit, largest: int, largest_file: int | None) -> None:
    """
    Raises:
        BodyError: it is too large, or no form.
        ForgedError: it is not from a page of ours.
    """
    media_type, parameters = media_type_of(visit.request)
    if largest_file is not None and media_type == MULTIPART:
        pairs = await _take_parts(visit, parameters.get("boundary", ""), largest, largest_file)
    else:
        pairs = _pairs_in(await read_body(visit.request, largest, setting=""), media_type)
    visit.fields = [(name, text.replace("\r\n", "\n")) for name, text in pairs]
    visit.form = dict(visit.fields)
    guarding.check_form(visit.request, visit.key, visit.form.pop("csrf", ""))


async def _take_parts(visit: Visit, boundary: str, largest: int, largest_file: int) -> list[tuple[str, str]]:
    async def take(part: Part, data: AsyncIterator[bytes]) -> None:
        content = bytearray()
        async for piece in data:
            content += piece
            if len(content) > largest_file:
                raise BodyError(
                    413, f"The file is larger than the {largest_file >> 20} MB that are taken here."
                )
        visit.file = Sent(part.file_name or "", bytes(content))

    form = await read_form(visit.request.stream(), boundary, largest, take)
    return list(form.fields.items())


def _pairs_in(content: bytes, media_type: str) -> list[tuple[str, str]]:
    if content and media_type != "application/x-www-form-urlencoded":
        raise BodyError(415, "Send a form.")
    try:
        return parse_qsl(content.decode(), keep_blank_values=True, max_num_fields=1000)
    except ValueError:
        raise BodyError(400, "The form can't be read.") from None
