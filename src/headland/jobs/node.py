"""The node: its name, which a controller signs its claims with and which a host name's change does not change, and
its user.
"""

import getpass
import os
import secrets
from pathlib import Path


def node_name(file: Path) -> str:
    """The name in `file`, which is made if it is not there."""
    try:
        return file.read_text("ascii").strip()
    except FileNotFoundError:
        draft = file.with_suffix(".new")
        draft.write_text(f"node-{secrets.token_hex(8)}\n", "ascii")
        draft.rename(file)
        return file.read_text("ascii").strip()


def own_user() -> str:
    """Who runs Headland; the number where it has no name, as in some containers."""
    try:
        return getpass.getuser()
    except (KeyError, OSError):
        return str(os.getuid())
