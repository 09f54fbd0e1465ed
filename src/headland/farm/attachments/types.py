"""What files are taken: by the endings of their names, or by their media types."""

from collections.abc import Sequence
from fnmatch import fnmatchcase

from headland.farm.errors import UnsupportedMediaTypeError
from headland.http.forms import Part

#: What senders say that don't know what they send.
_ANY = "application/octet-stream"


def check_type(part: Part, name: str, wanted: Sequence[str]) -> None:
    """`wanted` has endings (`.tif`) and media types (`image/*`); where there are none, every file is taken.

    Raises:
        UnsupportedMediaTypeError: a file of this name and type is not.
    """
    if not wanted or any(_is(each.lower(), name.lower(), part.media_type or _ANY) for each in wanted):
        return
    said = f"'{name[:80]}' ({part.media_type or 'of no media type'})"
    raise UnsupportedMediaTypeError(
        f"The file {said} is not taken; files are {', '.join(wanted)}.", part.name
    )


def _is(wanted: str, name: str, media_type: str) -> bool:
    return name.endswith(wanted) if wanted.startswith(".") else fnmatchcase(media_type, wanted)
