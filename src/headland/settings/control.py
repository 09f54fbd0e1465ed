"""Settings of the resource manager."""

from typing import Annotated

from msgspec import Meta, Struct

from headland.settings.resources import CLASSIC_MANAGEMENT_RESOURCE, MANAGEMENT_RESOURCE

#: Regions in which instances may be said to be.
REGIONS = (
    "eastus",
    "eastus2",
    "southcentralus",
    "westus2",
    "northeurope",
    "westeurope",
    "uksouth",
    "germanywestcentral",
    "francecentral",
    "brazilsouth",
    "centralindia",
    "southeastasia",
    "australiaeast",
)


class ControlSettings(Struct, frozen=True, forbid_unknown_fields=True):
    """Subscriptions, resource groups, instances and roles: the resource manager's part."""

    audiences: Annotated[
        tuple[str, ...],
        Meta(
            description="Resource identifiers of which a token opens the resource manager, besides the deployment's "
            "own address. Tokens are issued for those that `identity.resources` has."
        ),
    ] = (MANAGEMENT_RESOURCE, CLASSIC_MANAGEMENT_RESOURCE)
    subscription_name: Annotated[
        Annotated[str, Meta(min_length=1, max_length=64)] | None,
        Meta(
            description="Display name of the subscription that the first start makes; unset, the tenant's name.",
            examples=["Meadow Farm"],
        ),
    ] = None
    locations: Annotated[
        tuple[Annotated[str, Meta(pattern=r"^[a-z0-9]{1,40}$")], ...],
        Meta(
            min_length=1,
            description="Regions that a group or an instance may name. All of them are this deployment: clients demand "
            "a name, and programs written for the hosted service have one.",
        ),
    ] = REGIONS
    instance_domain: Annotated[
        Annotated[str, Meta(pattern=r"^[a-z0-9]([a-z0-9.-]*[a-z0-9])?$")] | None,
        Meta(
            description="Domain of which every name leads here: an instance's address is then "
            "`https://<name>.<domain>`, with the public base's port. Unset, it is a path below the public base.",
            examples=["farm.example.org"],
        ),
    ] = None
    terms_file: Annotated[
        str | None,
        Meta(
            description="Text file with the terms that a subscription accepts before instances are made in it; unset, "
            "a short text that says whose the data is.",
            examples=["/etc/headland/terms.txt"],
        ),
    ] = None
    terms_version: Annotated[
        Annotated[str, Meta(min_length=1, max_length=64)] | None,
        Meta(
            description="Version of the terms: with another one, every subscription has to accept them again. Unset, "
            "it is taken from the text, and changes with it.",
            examples=["2026-11"],
        ),
    ] = None
