"""What versions say in members of different forms, and means the same."""

from collections.abc import Container, Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Mirror:
    """Two members, each an object, of which no version has both."""

    #: By attribute.
    members: tuple[str, str]
    #: What both forms have.
    common: frozenset[str]

    def follow(self, known: Container[str], now: dict[str, Any], before: Mapping[str, Any]) -> None:
        """Have the one follow what a version has written of the other; what it alone has goes only with the rest.

        Args:
            known: attributes that the version has.
            now: members by attribute, which are changed; and `before` it wrote.
        """
        for written, other in (self.members, self.members[::-1]):
            if written not in known or now.get(written) == before.get(written):
                continue
            value = {name: each for name, each in (now.get(written) or {}).items() if name in self.common}
            own = {name: each for name, each in (now.get(other) or {}).items() if name not in self.common}
            now[other] = own | value if value else None
