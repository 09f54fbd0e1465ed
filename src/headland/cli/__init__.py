"""The `headland` command. It speaks HTTP like any client; only commands that work on a home touch files."""
