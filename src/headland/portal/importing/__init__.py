"""Files with outlines, brought in by people: read, looked at, and only then handed to the farm service."""
