"""Instances as people read them."""

from typing import Any

from headland.cli.control.options import shown_tags
from headland.cli.output import print_record, when


def state_of(document: dict[str, Any]) -> str:
    """`Creating`, `Succeeded` or `Failed`."""
    return str(document["properties"]["provisioningState"])


def group_of(document: dict[str, Any]) -> str:
    """The name of its group."""
    return str(document["id"]).split("/")[4]


def print_instance(document: dict[str, Any]) -> None:
    """All of an instance."""
    print_record(
        {
            "Instance Name": document["name"],
            "Resource Group": group_of(document),
            "Region": document["location"],
            "State": state_of(document),
            "Instance URI": document["properties"]["instanceUri"],
            "Tags": shown_tags(document.get("tags")),
            "Created (UTC)": when(document["systemData"]["createdAt"]),
            "ID": document["id"],
        }
    )
