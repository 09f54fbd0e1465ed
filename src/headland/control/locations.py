"""Regions by name. A deployment is one place: a region is a label that clients of the hosted service demand."""

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Final

#: Names as Azure shows them. Others are shown as they are written.
_DISPLAYED: Final[Mapping[str, str]] = MappingProxyType(
    {
        "eastus": "East US",
        "eastus2": "East US 2",
        "centralus": "Central US",
        "northcentralus": "North Central US",
        "southcentralus": "South Central US",
        "westcentralus": "West Central US",
        "westus": "West US",
        "westus2": "West US 2",
        "westus3": "West US 3",
        "canadacentral": "Canada Central",
        "canadaeast": "Canada East",
        "brazilsouth": "Brazil South",
        "northeurope": "North Europe",
        "westeurope": "West Europe",
        "uksouth": "UK South",
        "ukwest": "UK West",
        "francecentral": "France Central",
        "germanywestcentral": "Germany West Central",
        "italynorth": "Italy North",
        "norwayeast": "Norway East",
        "polandcentral": "Poland Central",
        "spaincentral": "Spain Central",
        "swedencentral": "Sweden Central",
        "switzerlandnorth": "Switzerland North",
        "southafricanorth": "South Africa North",
        "uaenorth": "UAE North",
        "centralindia": "Central India",
        "southindia": "South India",
        "westindia": "West India",
        "eastasia": "East Asia",
        "southeastasia": "Southeast Asia",
        "japaneast": "Japan East",
        "japanwest": "Japan West",
        "koreacentral": "Korea Central",
        "australiaeast": "Australia East",
        "australiasoutheast": "Australia Southeast",
        "newzealandnorth": "New Zealand North",
    }
)


def displayed(name: str) -> str:
    """`westeurope` as `West Europe`."""
    return _DISPLAYED.get(name, name)


def find(text: str, available: Sequence[str]) -> str | None:
    """The region that a client means, however it spells its name: `West Europe` is `westeurope`."""
    name = text.replace(" ", "").lower()
    return name if name in available else None
