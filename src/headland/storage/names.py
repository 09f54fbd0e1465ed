"""What accounts, containers and blobs may be called.

One rule for URLs, HTTP paths and listings: what these functions refuse can't be named anywhere, so nothing
below has to think of `..` or of an empty segment again. Each returns what is wrong with a name, or None.
"""

import re
import unicodedata

#: Azure's rule for storage accounts.
_ACCOUNT = re.compile(r"[a-z0-9]{3,24}")

#: Azure's rule for containers:
#: https://learn.microsoft.com/rest/api/storageservices/naming-and-referencing-containers--blobs--and-metadata
_CONTAINER = re.compile(r"(?=[a-z0-9-]{3,63}\Z)[a-z0-9]+(?:-[a-z0-9]+)*|\$root|\$web|\$logs")

#: Azure's limits, in characters and in segments; they also bound how deep a local account's folders go.
LONGEST_PATH = 1024
MOST_SEGMENTS = 254

#: `?` and `#` end the path of a URL, and nothing is percent-decoded: a blob with one in its name would have none.
_FORBIDDEN = {"\\": "a backslash", "?": "a '?'", "#": "a '#'"}


def account_problem(name: str) -> str | None:
    """What is wrong with an account's name."""
    if _ACCOUNT.fullmatch(name):
        return None
    return f"'{printable(name)}' is no account name, which is 3 to 24 of a-z and 0-9"


def container_problem(name: str) -> str | None:
    """What is wrong with a container's name."""
    if _CONTAINER.fullmatch(name):
        return None
    return (
        f"'{printable(name)}' is no container name, which is 3 to 63 of a-z, 0-9 and single hyphens between them, "
        "or $root, $web or $logs"
    )


def path_problem(path: str) -> str | None:
    """What is wrong with a blob's path within its container."""
    if not path:
        return "it names no path"
    if len(path) > LONGEST_PATH:
        return f"its path is longer than {LONGEST_PATH} characters"
    segments = path.split("/")
    if len(segments) > MOST_SEGMENTS:
        return f"its path has more than {MOST_SEGMENTS} segments"
    return next((problem for problem in map(segment_problem, segments) if problem), None)


def prefix_problem(prefix: str) -> str | None:
    """What is wrong with the beginning of paths; its last segment may be incomplete, or empty."""
    *folders, last = prefix.split("/")
    if len(prefix) > LONGEST_PATH:
        return f"it is longer than {LONGEST_PATH} characters"
    return next((p for p in map(segment_problem, folders) if p), None) or character_problem(last)


def segment_problem(segment: str) -> str | None:
    """What is wrong with one segment of a path."""
    if not segment:
        return "its path has an empty segment"
    if segment in {".", ".."}:
        return f"its path has a segment '{segment}'"
    return character_problem(segment)


def character_problem(text: str) -> str | None:
    """Which character a name may not hold."""
    for character in text:
        if character in _FORBIDDEN:
            return f"it has {_FORBIDDEN[character]} in a name"
        # Cs: half of a surrogate pair, which no UTF-8 has, and by which Python names a file that isn't UTF-8.
        if unicodedata.category(character) in {"Cc", "Cs"}:
            return f"it has the control character {printable(character)} in a name"
    return None


def printable(text: str, most: int = 300) -> str:
    """`text` for a message or a log: nothing in it that moves a cursor or starts a line, and not without end."""
    shown = "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text[:most])
    return shown if len(text) <= most else shown + "…"
