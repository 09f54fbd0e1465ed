"""`authorization.md`: which role may do what, from the declarations of operations and roles."""

import re
from collections.abc import Iterable, Iterator, Sequence

from generator.api import declared
from generator.markdown import code, page, table
from headland.control.matrix import Row, rows
from headland.control.roles import ROLES, Role
from headland.http.openapi import Api
from headland.http.operations import Operation
from headland.server.guards import audiences
from headland.settings import Settings

_INTRODUCTION = """\
Who may do what is decided by **roles**. A role is assigned to an application in a **scope**: `/`, a
subscription, a resource group, or an instance. It holds there and in everything below, and nowhere else: what
is beside its scope, whoever made it, is as closed as if there were no role. What no role allows is denied.

- **Administrators** of the tenant own everything in it, data included, without any role.
- **The resource manager's roles** say nothing of data: an Owner of an instance can't read a field of it. **The
  agriculture service's roles** say nothing of resources.
- An application has **one data role on an instance**; a second one is refused with 409.
- Roles are assigned by those who have `Microsoft.Authorization/roleAssignments/write` in the scope: Owner and
  User Access Administrator, and administrators. Removing one takes effect with the next request, in every process.
- Whoever shows a token may use the operations below "Without a role". What they show is the caller's own.

`tests/service/control/test_matrix.py` tries every cell, in its scope and beside it, with the role held at every
level."""

_TOKENS = """\
A token is for one audience, which is what its scope says before `/.default`. One for the deployment itself, at its
public URL, opens every service; what clients of the hosted services ask for opens theirs. A request without a token,
or with one for something else, is answered with 401, and its `WWW-Authenticate` names the scope to ask for."""

#: Where the path begins with a scope: below a place that other operations name.
_ANYWHERE = "/{scope:path}"

_DATA = """\
Actions on data are named `Microsoft.AgFoodPlatform/farmBeats/<family>/<verb>`. The specification has it so: an Admin
may do everything, a Contributor create, read and update everything and delete nothing, a Reader read. A job that
deletes is started by `deletionJobs/<family>/write`, which a Contributor lacks."""

#: One of each kind of action on data; operations that declare such actions have rows of their own below.
_DATA_ACTIONS = (
    ("Read", "parties/read"),
    ("List or search by POST", "boundaries/search/action"),
    ("Download", "scenes/download/action"),
    ("Create or update", "parties/write"),
    ("Any other action", "sensors/renewConnectionString/action"),
    ("Delete", "parties/delete"),
    ("Start a job that deletes", "deletionJobs/parties/write"),
)


def authorization_page() -> str:
    """The page."""
    apis = [api for api in declared()[0] if any(item.action for item in api.operations)]
    return page(
        "Authorization",
        _INTRODUCTION,
        "## Which token opens which service",
        _TOKENS,
        table(("Service", "Where", "Scope of its tokens"), _scopes()),
        "## Roles",
        table(("Role", "ID", "Allows", "Except"), (_role(role) for role in ROLES)),
        "## Data",
        _DATA,
        table(
            ("What", "Action", *(role.name for role in ROLES)),
            (
                _cells(
                    (text, code(f"…/farmBeats/{action}")),
                    f"Microsoft.AgFoodPlatform/farmBeats/{action}",
                    data=True,
                )
                for text, action in _DATA_ACTIONS
            ),
        ),
        *(block for api in apis for block in _api(api)),
    )


def _scopes() -> Iterator[tuple[str, str, str]]:
    opened = audiences(Settings())
    own = Settings().server.public_url
    for api in declared()[0]:
        if api.name in opened:
            where = {_place(api.prefix + item.path) for item in api.operations} - {_ANYWHERE}
            named = sorted(opened[api.name], key=lambda audience: (audience != own, audience))
            yield (
                api.name,
                ", ".join(code(place) for place in sorted(where)),
                ", ".join(code(f"{audience}/.default") for audience in named),
            )


def _place(path: str) -> str:
    """The first part of an operation's path: below it are the service's."""
    return "/" + path.split("/")[1]


def matrix(operations: Sequence[Operation]) -> str:
    """The rows of operations that roles decide about, whosever they are."""
    return table(
        ("Operation", "Action", *(role.name for role in ROLES)),
        (_row(row) for row in rows(operations)),
    )


def _api(api: Api) -> Iterator[str]:
    yield f"## Operations of the service {api.name}"
    yield "A role is held at what the operation is about, or above it."
    if any(item.filtered for item in api.operations):
        yield (
            "What is marked with * may be asked for by those, too, whose role is held at something inside it: a list "
            "shows them what they may read."
        )
    yield matrix(api.operations)
    open_ = [item for item in api.operations if item.action is None and item.guarded]
    if open_:
        yield f"### Without a role ({api.name})"
        yield table(
            ("Operation", ""),
            ((code(f"{item.method} {_plain(api.prefix + item.path)}"), item.summary) for item in open_),
        )


def _row(row: Row) -> Iterable[str]:
    name = code(f"{row.method} {_plain(row.path)}") + (" *" if row.filtered else "")
    return _cells((name, code(row.action)), row.action, data=row.data)


def _cells(first: tuple[str, ...], action: str, *, data: bool) -> tuple[str, ...]:
    return (*first, *("yes" if role.allows(action, data=data) else "no" for role in ROLES))


def _role(role: Role) -> tuple[str, ...]:
    allowed = ", ".join(map(code, (*role.actions, *role.data_actions)))
    excepted = ", ".join(map(code, (*role.not_actions, *role.not_data_actions)))
    return role.name, code(role.id), allowed, excepted


def _plain(path: str) -> str:
    return re.sub(r":\w+}", "}", path)
