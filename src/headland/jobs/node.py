"""The node's name: what a controller signs its claims with. A host name may change, this does not."""

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
