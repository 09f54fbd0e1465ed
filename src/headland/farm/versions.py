"""The protocol's versions: the dates that `api-version` names, and the letters by which declarations do."""

from enum import StrEnum


class Version(StrEnum):
    """An `api-version`."""

    A = "2021-03-31-preview"
    B = "2021-07-31-preview"
    C = "2022-11-01-preview"
    D = "2023-04-01-preview"
    E = "2023-06-01-preview"
    F = "2023-07-01-preview"
    G = "2023-11-01-preview"


_LETTERS = "".join(Version.__members__)

Versions = frozenset[Version]


def versions(letters: str) -> Versions:
    """`"C-E"` is C, D and E; `"AB"` is A and B; `"A-CF"` is A, B, C and F.

    Raises:
        ValueError: a letter that no version has.
    """
    found: set[Version] = set()
    rest = letters
    while rest:
        first = last = _LETTERS.index(rest[0])
        rest = rest[1:]
        if rest.startswith("-"):
            last = _LETTERS.index(rest[1])
            rest = rest[2:]
        found.update(Version[letter] for letter in _LETTERS[first : last + 1])
    return frozenset(found)


ALL = versions("A-G")
