"""Files that belong to documents: how they come in and go out, and where their bytes are kept."""
