"""`headland key list` and `rotate`."""

from typing import TYPE_CHECKING, Any

import click
from msgspec import Struct

from headland.cli.documents import view
from headland.cli.options import json_option
from headland.cli.output import print_json, print_record, print_table, when
from headland.cli.profile import require_public
from headland.cli.surroundings import open_service

if TYPE_CHECKING:
    from headland.cli.service import Service

_PATH = "/identity/keys"


class Key(Struct, rename="camel"):
    """A signing key."""

    kid: str
    state: str
    activates_at: str
    published_until: str | None = None


class Keys(Struct):
    """All that are published."""

    keys: list[Key]


@click.group()
def key() -> None:
    """Look after the keys that sign access tokens.

    Only administrators may use these commands.
    """


@key.command("list")
@json_option
def list_keys(as_json: bool) -> None:
    """List the keys that sign, will sign, or have signed.

    One that has signed is listed while tokens of it are still good.
    """
    with open_service() as service:
        document = _call(service, "GET")
    if as_json:
        print_json(document)
        return
    print_table(
        ["Key id", "State", "Signs from (UTC)", "Forgotten (UTC)"],
        [
            [
                item.kid,
                item.state,
                when(item.activates_at),
                when(item.published_until) if item.published_until else None,
            ]
            for item in view(document, Keys).keys
        ],
    )


@key.command()
@click.option(
    "--after",
    type=click.FloatRange(min=0),
    metavar="SECONDS",
    help="How long it is published before it signs; else the service's `identity.key_overlap`.",
)
@json_option
def rotate(after: float | None, as_json: bool) -> None:
    """Make a new key, which takes over from the one that signs.

    Tokens stay good: the old key is published until the last token that it signed has expired.
    """
    with open_service() as service:
        document = _call(service, "POST", body={} if after is None else {"activateAfter": after})
    if as_json:
        print_json(document)
        return
    made = view(document, Key)
    print_record({"Key id": made.kid, "State": made.state, "Signs from (UTC)": when(made.activates_at)})


def _call(service: "Service", method: str, **request: Any) -> dict[str, Any]:
    require_public(service.profile, "signing keys")
    return service.document(method, _PATH, **request)
