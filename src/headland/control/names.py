"""Names of groups and instances: their rules, and the one case in which they are compared."""

import re
from typing import Final

from headland.control.errors import InvalidGroupNameError, InvalidNameError

LONGEST_GROUP: Final = 90

#: What is no letter, digit or mark of those that Azure allows.
_NOT_IN_GROUPS: Final = re.compile(r"[^\w.()-]")
_INSTANCE: Final = re.compile(r"(?=.{1,63}\Z)[A-Za-z0-9]+(-[A-Za-z0-9]+)*")


def key_of(name: str) -> str:
    """A name as it is compared."""
    return name.lower()


def check_group(name: str) -> None:
    """Return if a group may be called so.

    Raises:
        InvalidGroupNameError: it may not.
    """
    wrong = "".join(dict.fromkeys(_NOT_IN_GROUPS.findall(name)))
    if wrong:
        raise InvalidGroupNameError(
            f"The provided resource group name '{name}' has these invalid characters: '{wrong}'. The name can only "
            "be a letter, digit, '-', '.', '(', ')' or '_'."
        )
    if len(name) > LONGEST_GROUP:
        raise InvalidGroupNameError(
            f"The provided resource group name '{name}' has {len(name)} characters, and the maximum is "
            f"{LONGEST_GROUP}."
        )
    if name.endswith("."):
        raise InvalidGroupNameError(f"The provided resource group name '{name}' must not end with '.'.")


def is_instance(name: str) -> bool:
    """Whether an instance may be called so: a part of a host name, in effect."""
    return _INSTANCE.fullmatch(name) is not None


def check_instance(name: str) -> None:
    """Return if an instance may be called so.

    Raises:
        InvalidNameError: it may not.
    """
    if not is_instance(name):
        raise InvalidNameError(name)
