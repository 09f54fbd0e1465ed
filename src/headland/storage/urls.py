"""Storage URLs: `wasbs://<container>@<account>/<path>` and, for the defaults, `wasbs:///<path>`."""

import re
from dataclasses import dataclass

from headland.storage.errors import StorageUrlError
from headland.storage.names import (
    account_problem,
    container_problem,
    path_problem,
    printable,
    segment_problem,
)

SCHEME = "wasbs://"

#: What the hosted service's URLs say after the account; it says nothing more, so it may be left out.
ACCOUNT_ENDING = ".blob.core.windows.net"


@dataclass(frozen=True, slots=True)
class BlobUrl:
    """One blob's address. There is none that breaks the rules: they are checked as it is made.

    Raises:
        StorageUrlError: a part is not what it has to be.
    """

    account: str
    container: str
    path: str
    #: What came after `#`: the name that Spark gives an archive where it unpacks it. No part of the address.
    fragment: str | None = None

    def __post_init__(self) -> None:
        problem = (
            account_problem(self.account)
            or container_problem(self.container)
            or path_problem(self.path)
            or (self.fragment is not None and _fragment_problem(self.fragment))
        )
        if problem:
            raise StorageUrlError(shown(str(self)), problem)

    def __str__(self) -> str:
        alias = "" if self.fragment is None else f"#{self.fragment}"
        return f"{SCHEME}{self.container}@{self.account}/{self.path}{alias}"

    @property
    def name(self) -> str:
        """The path's last segment."""
        return self.path.rpartition("/")[2]


@dataclass(frozen=True, slots=True)
class FolderUrl:
    """The address of a blob or folder, or with an empty path of a container.

    Raises:
        StorageUrlError: a part is not what it has to be.
    """

    account: str
    container: str
    path: str

    def __post_init__(self) -> None:
        problem = (
            account_problem(self.account)
            or container_problem(self.container)
            or (path_problem(self.path) if self.path else None)
        )
        if problem:
            raise StorageUrlError(shown(str(self)), problem)

    def __str__(self) -> str:
        return f"{SCHEME}{self.container}@{self.account}/{self.path}"


def parse_blob_url(text: str, default_account: str, default_container: str) -> BlobUrl:
    """The address that `text` names. Nothing is percent-decoded: `%2e%2e` is a name like any other.

    Raises:
        StorageUrlError: it names none; the message says why, without a query's or a password's text.
    """
    if not text.startswith(SCHEME):
        raise StorageUrlError(shown(text), f"it does not begin with {SCHEME}")
    address, _, fragment = text.partition("#")
    if "?" in address:
        raise StorageUrlError(shown(text), "it has a query, which storage URLs have not")
    authority, _, path = address.removeprefix(SCHEME).partition("/")
    if not authority:
        return BlobUrl(default_account, default_container, path, fragment or None)
    container, at, host = authority.rpartition("@")
    account = host.removesuffix(ACCOUNT_ENDING)
    problem = _authority_problem(container, at, host)
    if problem:
        raise StorageUrlError(shown(text), problem)
    return BlobUrl(account, container, path, fragment or None)


def shown(text: str) -> str:
    """A URL as a message may show it: no query (it may be a signature), no password, nothing unprintable."""
    address, question, _ = text.partition("?")
    without_password = re.sub(r"//([^/:]*):[^/]*@", r"//\1:***@", address)
    return printable(without_password) + ("?…" if question else "")


def _authority_problem(container: str, at: str, host: str) -> str | None:
    if not at:
        return f"it names no container: write {SCHEME}<container>@<account>/<path>"
    if not container:
        return "it names no container before '@'"
    if ":" in container or "@" in container:
        return "it has a user or password, which storage URLs have not"
    if not host:
        return "it names no account after '@'"
    if ":" in host:
        return "it has a port, which storage URLs have not"
    return None


def _fragment_problem(fragment: str) -> str | None:
    if "/" in fragment or segment_problem(fragment):
        return f"'{printable(fragment)}' after '#' is no plain name"
    return None
