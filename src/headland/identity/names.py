"""Names that people give to applications, secrets, certificates and tenants."""

import unicodedata

from headland.identity.errors import InvalidFieldError

LONGEST_NAME = 120

#: Control characters, line and paragraph separators, and halves of surrogate pairs.
_NOT_IN_NAMES = frozenset({"Cc", "Zl", "Zp", "Cs"})


def check_name(name: str) -> None:
    """
    Raises:
        InvalidFieldError: `name` is no name.
    """
    if not name.strip() or len(name) > LONGEST_NAME:
        raise InvalidFieldError("name", f"must have between 1 and {LONGEST_NAME} characters.")
    if any(unicodedata.category(character) in _NOT_IN_NAMES for character in name):
        raise InvalidFieldError("name", "must not contain control characters.")
