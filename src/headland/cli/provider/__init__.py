"""`headland provider`: register resource providers."""

import click

from headland.cli.lazy import Commands, LazyGroup

COMMANDS: Commands = {
    "list": ("headland.cli.provider.commands:list_providers", "List resource providers."),
    "show": ("headland.cli.provider.commands:show", "Show one provider and its types."),
    "register": ("headland.cli.provider.commands:register", "Register a provider in the subscription."),
    "unregister": ("headland.cli.provider.commands:unregister", "Take back a registration."),
}


@click.group(cls=LazyGroup, table=COMMANDS)
def provider() -> None:
    """Register resource providers.

    Instances can be made once theirs is registered. NAMESPACE is Microsoft.AgFoodPlatform unless you name another one.
    """
