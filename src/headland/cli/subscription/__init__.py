"""`headland subscription`: the allow list, and the terms."""

import click

from headland.cli.lazy import Commands, LazyGroup

COMMANDS: Commands = {
    "list": ("headland.cli.subscription.commands:list_subscriptions", "List subscriptions open to you."),
    "remove": ("headland.cli.subscription.commands:remove", "Take a subscription off the allow list."),
    "request": ("headland.cli.subscription.requests:request", "Ask for a subscription."),
    "requests": ("headland.cli.subscription.requests:list_requests", "List requests for subscriptions."),
    "approve": ("headland.cli.subscription.requests:approve", "Approve a request."),
    "refuse": ("headland.cli.subscription.requests:refuse", "Refuse a request."),
    "terms": ("headland.cli.subscription.terms:show_terms", "Print the terms in force."),
    "accept-terms": ("headland.cli.subscription.terms:accept_terms", "Accept the terms for a subscription."),
}


@click.group(cls=LazyGroup, table=COMMANDS)
def subscription() -> None:
    """Ask for subscriptions, and accept their terms.

    Administrators decide about what is asked for.
    """
