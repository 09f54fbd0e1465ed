"""What an environment's requirements file may say, and the content that it stands for."""

import hashlib
import platform
import re
from dataclasses import dataclass

from packaging.requirements import InvalidRequirement, Requirement

#: Largest requirements file in bytes, and most lines of it that name something.
LARGEST, MOST = 262_144, 1_000

#: Most characters of a line without its hashes: a reader of markers and versions is slow, and none needs a tenth of it.
LONGEST_LINE = 4_096

#: A name that can stand in a path, a URL and a configuration value as it is.
NAME = re.compile(r"[a-z0-9][a-z0-9._-]{0,62}")

_HASH = re.compile(r"--hash=(sha256|sha384|sha512):[0-9a-f]{64,128}")


class RequirementsError(ValueError):
    """A requirements file can't be taken. The message names the line."""


@dataclass(frozen=True, slots=True)
class Requirements:
    """A requirements file that names packages of an index, and nothing else."""

    #: Requirements as PEP 508 writes them, a line each, with the hashes that were given.
    lines: tuple[str, ...]

    @classmethod
    def parse(cls, text: str) -> "Requirements":
        """The requirements of a file's `text`.

        Only names with versions, markers and hashes are taken: an option could name files of the node, another
        index or a program to run, and an address would have the service fetch what its sender can't reach.

        Raises:
            RequirementsError: there are none, or a line is something else.
        """
        if len(text.encode("utf-8", "surrogatepass")) > LARGEST:
            raise RequirementsError(f"requirements are larger than {LARGEST} bytes")
        lines = _logical_lines(text)
        if not lines:
            raise RequirementsError("requirements name no package")
        if len(lines) > MOST:
            raise RequirementsError(f"requirements name {len(lines)} packages; {MOST} are allowed")
        found = cls(tuple(_parse(number, line) for number, line in lines))
        # It is read again by who builds it, and may have grown: with blanks, and quotation marks.
        if len(found.text.encode()) > LARGEST:
            raise RequirementsError(f"requirements are larger than {LARGEST} bytes when they are written out")
        return found

    @property
    def hashed(self) -> bool:
        """Whether hashes were given: then every package has to have one."""
        return any("--hash=" in line for line in self.lines)

    @property
    def text(self) -> str:
        return "".join(f"{line}\n" for line in self.lines)


def content_digest(resolved: str, python_version: str) -> str:
    """What a content is called: 32 hexadecimal digits that differ where packages, Python or machine do.

    Args:
        resolved: every package with its version and hashes, as the resolver wrote them.
        python_version: such as `3.11.7`; contents fit every patch of a minor version.
    """
    minor = ".".join(python_version.split(".")[:2])
    place = f"{platform.system()} {platform.machine()}"
    return hashlib.sha256(f"{minor}\n{place}\n{resolved}".encode()).hexdigest()[:32]


def _logical_lines(text: str) -> list[tuple[int, str]]:
    """Lines with what they go on with, and without comments; each with the number of its first line."""
    found: list[tuple[int, str]] = []
    begun, parts = 0, ""
    for number, line in enumerate(text.splitlines(), 1):
        begun = begun if parts else number
        # A comment begins the line or follows a blank: a fragment of an address is none.
        plain = line if line.rstrip().endswith("\\") else re.split(r"(?:^|\s)#", line, maxsplit=1)[0]
        if plain.rstrip().endswith("\\"):
            parts += plain.rstrip()[:-1] + " "
            continue
        whole, parts = (parts + plain).strip(), ""
        if whole:
            found.append((begun, whole))
    if parts.strip():
        found.append((begun, parts.strip()))
    return found


def _parse(number: int, line: str) -> str:
    words = line.split()
    hashes = [word for word in words if word.startswith("--hash")]
    for word in hashes:
        if not _HASH.fullmatch(word):
            raise RequirementsError(
                f"requirements, line {number}: '{word[:80]}' is not a hash such as --hash=sha256:…"
            )
    rest = " ".join(word for word in words if not word.startswith("--hash"))
    if rest.startswith("-"):
        raise RequirementsError(
            f"requirements, line {number}: options such as '{rest[:40]}' are not taken, only names of packages with "
            "versions"
        )
    if len(rest) > LONGEST_LINE:
        raise RequirementsError(
            f"requirements, line {number}: '{rest[:80]}…' has {len(rest)} characters beside hashes; {LONGEST_LINE} are "
            "allowed"
        )
    try:
        requirement = Requirement(rest)
    except (InvalidRequirement, RecursionError):
        raise RequirementsError(
            f"requirements, line {number}: '{rest[:80]}' is not a requirement such as pandas>=2.2"
        ) from None
    if requirement.url is not None:
        raise RequirementsError(
            f"requirements, line {number}: '{requirement.name[:80]}' comes from an address; only packages of the "
            "deployment's index are taken"
        )
    return " ".join([str(requirement), *hashes])
