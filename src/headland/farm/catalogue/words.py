"""Names and words that are not the same in all versions."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache

from headland.farm.versions import ALL, Version, Versions, versions


@dataclass(frozen=True, eq=False)
class Spelling:
    """A name, and what some versions have in its place."""

    usual: str
    others: Mapping[str, str] = field(default_factory=dict)

    @cache  # noqa: B019 - declarations live as long as the program
    def of(self, version: Version) -> str:
        """The name in one version."""
        return next(
            (text for letters, text in self.others.items() if version in versions(letters)), self.usual
        )


@dataclass(frozen=True, eq=False)
class Word(Spelling):
    """One of the words that may stand somewhere, in the versions that know it."""

    versions: Versions = ALL


@dataclass(frozen=True, eq=False)
class OneOf:
    """The only words that may stand somewhere; in other versions than these, any text may."""

    words: tuple[Word, ...]
    versions: Versions = ALL

    @cache  # noqa: B019 - declarations live as long as the program
    def in_version(self, version: Version) -> Mapping[str, str]:
        """The words of one version, with their usual spelling."""
        return {word.of(version): word.usual for word in self.words if version in word.versions}

    def read(self, version: Version, text: str) -> str | None:
        """The usual spelling of what a version says; None where it may not say that."""
        return self.in_version(version).get(text) if version in self.versions else text

    def said(self, version: Version, usual: str) -> str | None:
        """What a version says for a word in its usual spelling; None where it can't say it."""
        if version not in self.versions:
            return usual
        return next((said for said, word in self.in_version(version).items() if word == usual), None)


def one_of(*words: str | Word, letters: str = "A-G") -> OneOf:
    """Plain words are the same in all versions."""
    every = tuple(Word(word) if isinstance(word, str) else word for word in words)
    return OneOf(every, versions(letters))
