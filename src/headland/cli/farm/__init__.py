"""`headland farm`: an instance's records."""

import click

from headland.cli.lazy import Commands, LazyGroup

COMMANDS: Commands = {
    "import": ("headland.cli.farm.importing:import_records", "Bring records in, and their files."),
    "export": ("headland.cli.farm.exporting:export_records", "Take records out, and their files."),
}


@click.group(cls=LazyGroup, table=COMMANDS)
def farm() -> None:
    """Bring an instance's records in, and take them out.

    Records are lines of JSON. Those of a whole instance say of which family each document is:
    {"family": "farms", "document": {"id": "north", "partyId": "elm", ...}}. With --family they are the
    documents themselves.
    """
