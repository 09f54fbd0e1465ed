"""`headland farm`: an instance's records."""

import click

from headland.cli.lazy import Commands, LazyGroup

COMMANDS: Commands = {
    "import": ("headland.cli.farm.importing:import_lines", "Bring records in, as lines of JSON."),
    "import-files": ("headland.cli.farm.files:import_files", "Give attachments their files, from a folder."),
    "export": ("headland.cli.farm.exporting:export_lines", "Take records out, as lines of JSON."),
    "export-files": (
        "headland.cli.farm.files:export_files",
        "Take the files of all attachments out, into a folder.",
    ),
}


@click.group(cls=LazyGroup, table=COMMANDS)
def farm() -> None:
    """Bring an instance's records in, and take them out.

    What goes to and fro is lines of JSON. Those of a whole instance say of which family each document is:
    {"family": "farms", "document": {"id": "north", "partyId": "elm", ...}}. With --family they are the
    documents themselves.
    """
