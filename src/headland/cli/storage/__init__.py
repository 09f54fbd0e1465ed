"""`headland storage`: copy files to and from cluster storage."""

import click

from headland.cli.lazy import Commands, LazyGroup

COMMANDS: Commands = {
    "upload": (
        "headland.cli.storage.commands:upload",
        "Copy a local file, or all files of a folder, to storage.",
    ),
    "download": (
        "headland.cli.storage.commands:download",
        "Copy a blob, or all blobs of a folder, from storage.",
    ),
    "ls": ("headland.cli.storage.commands:ls", "List blobs."),
    "rm": ("headland.cli.storage.commands:rm", "Remove blobs."),
}


@click.group(cls=LazyGroup, table=COMMANDS)
def storage() -> None:
    """Copy files to and from cluster storage.

    A blob is named by its URL (wasbs://CONTAINER@ACCOUNT/PATH, or wasbs:///PATH for the default
    container), or by its path in the default container.
    """
