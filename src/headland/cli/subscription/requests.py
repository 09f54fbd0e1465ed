"""`headland subscription request`, `requests`, `approve` and `refuse`."""

from typing import Any
from urllib.parse import quote

import click

from headland.cli.control.manager import Manager
from headland.cli.errors import not_found
from headland.cli.options import json_option, quiet_option
from headland.cli.output import print_json, print_table, when
from headland.cli.surroundings import open_service

_PATH = "/control/access-requests"


@click.command()
@click.argument("name")
@click.option("--reason", required=True, help="What it is for; an administrator reads it.")
@click.option("--subscription", metavar="ID", help="Its id, a GUID; made up where there is none.")
@click.option("--accept-terms", is_flag=True, help="Accept the terms without being asked.")
@json_option
@quiet_option("Print the request's id alone.")
def request(
    *,
    name: str,
    reason: str,
    subscription: str | None,
    accept_terms: bool,
    as_json: bool,
    quiet: bool,
) -> None:
    """Ask for a subscription called NAME. An administrator decides."""
    with open_service() as service:
        manager = Manager(service)
        terms = manager.document("GET", "/control/terms")
        if not accept_terms:
            click.echo(terms["text"])
            click.confirm("Do you accept these terms?", abort=True)
        body = {"displayName": name, "reason": reason, "acceptTerms": terms["version"]}
        if subscription is not None:
            body["subscriptionId"] = subscription
        document = manager.document("POST", _PATH, body=body)
    if as_json:
        print_json(document)
    elif quiet:
        click.echo(document["id"])
    else:
        click.echo(
            f"Request {document['id']} for subscription {document['subscriptionId']}: {document['state']}."
        )


@click.command("requests")
@json_option
def list_requests(as_json: bool) -> None:
    """List requests for subscriptions: yours, or as an administrator all."""
    with open_service() as service:
        document = Manager(service).document("GET", _PATH)
    if as_json:
        print_json(document)
        return
    print_table(
        ["Request", "Name", "State", "Asked (UTC)", "Reason"],
        [
            [item["id"], item["displayName"], item["state"], when(item["requestedAt"]), item["reason"]]
            for item in document["value"]
        ],
        fold=("Name", "Reason"),
    )


@click.command()
@click.argument("request_id")
@click.option("--comment", help="Kept with the decision.")
@json_option
@quiet_option("Print nothing.")
def approve(request_id: str, comment: str | None, as_json: bool, quiet: bool) -> None:
    """Approve a request: whoever asked owns the subscription then."""
    _decide(request_id, "approve", comment, as_json=as_json, quiet=quiet)


@click.command()
@click.argument("request_id")
@click.option("--comment", help="Kept with the decision.")
@json_option
@quiet_option("Print nothing.")
def refuse(request_id: str, comment: str | None, as_json: bool, quiet: bool) -> None:
    """Refuse a request."""
    _decide(request_id, "refuse", comment, as_json=as_json, quiet=quiet)


def _decide(request_id: str, verb: str, comment: str | None, *, as_json: bool, quiet: bool) -> None:
    missing = not_found(f"request '{request_id}'", "subscription requests")
    body: dict[str, Any] = {} if comment is None else {"comment": comment}
    with open_service() as service:
        path = f"{_PATH}/{quote(request_id, safe='')}/{verb}"
        document = Manager(service).document("POST", path, body=body, missing=missing)
    if as_json:
        print_json(document)
    elif not quiet:
        click.echo(f"Request {document['id']}: {document['state']}.")
