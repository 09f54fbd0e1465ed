"""Tags, within the limits of Azure's
(https://learn.microsoft.com/azure/azure-resource-manager/management/tag-resources#limitations).
"""

from collections.abc import Mapping
from typing import Final

from headland.control.errors import InvalidTagCharactersError, InvalidTagsError

MOST: Final = 50
LONGEST_NAME: Final = 512
LONGEST_VALUE: Final = 256
_RESERVED: Final = frozenset("<>%&\\?/")


def check(tags: Mapping[str, str]) -> None:
    """Return if they may be kept.

    Raises:
        InvalidTagsError: there are too many, or one is too long, or two differ in case alone.
        InvalidTagCharactersError: a name has characters that are reserved.
    """
    if len(tags) > MOST:
        raise InvalidTagsError(f"The maximum number of tags is {MOST}; {len(tags)} were given.")
    if any(not name.strip() for name in tags):
        raise InvalidTagsError("A tag's name must not be empty.")
    for name, value in tags.items():
        if len(name) > LONGEST_NAME:
            raise InvalidTagsError(
                f"The tag name '{name[:40]}…' exceeds the maximum length of {LONGEST_NAME} characters."
            )
        if len(value) > LONGEST_VALUE:
            raise InvalidTagsError(
                f"The value of tag '{name[:40]}' exceeds the maximum length of {LONGEST_VALUE} characters."
            )
    reserved = [name for name in tags if any(c in _RESERVED or ord(c) < 32 or ord(c) == 127 for c in name)]
    if reserved:
        raise InvalidTagCharactersError(reserved)
    if len({name.casefold() for name in tags}) < len(tags):
        raise InvalidTagsError("Two tags have names that differ in case alone.")
