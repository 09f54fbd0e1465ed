"""Names of blobs as people write them, and as the storage API's paths have them."""

from dataclasses import dataclass
from urllib.parse import quote

import click

#: What hosted accounts are called beyond their name; the API takes names alone.
SUFFIX = ".blob.core.windows.net"

#: Stands for the default account or container in the API's paths.
DEFAULT = "-"


@dataclass(frozen=True, slots=True)
class Address:
    """A blob, or where the path is a prefix, several."""

    path: str
    container: str = DEFAULT
    account: str = DEFAULT

    @classmethod
    def parse(cls, text: str) -> "Address":
        """From a `wasbs://` URL, or a path in the default container.

        Raises:
            click.BadParameter: it is neither.
        """
        scheme, separator, rest = text.partition("://")
        if not separator:
            return cls(_checked(text.lstrip("/")))
        if scheme != "wasbs":
            raise click.BadParameter(f"'{text}' is neither a wasbs:// URL nor a path.")
        authority, _, path = rest.partition("/")
        if not authority:
            return cls(_checked(path))
        container, at, account = authority.partition("@")
        if not (container and at and account):
            raise click.BadParameter(f"'{text}' is not of the form wasbs://CONTAINER@ACCOUNT/PATH.")
        return cls(_checked(path), container, account.removesuffix(SUFFIX))

    @property
    def url(self) -> str:
        """The `wasbs://` URL."""
        authority = "" if self.container == DEFAULT else f"{self.container}@{self.account}"
        return f"wasbs://{authority}/{self.path}"

    @property
    def container_path(self) -> str:
        """Path of the container in the API."""
        return f"/storage/{quote(self.account, safe='')}/{quote(self.container, safe='')}"

    @property
    def blob_path(self) -> str:
        """Path of the blob in the API, each segment percent-encoded."""
        return f"{self.container_path}/{quote(self.path, safe='/')}"

    @property
    def name(self) -> str:
        """The last segment."""
        return self.path.rpartition("/")[2]


def blob(text: str) -> Address:
    """The address of one blob.

    Raises:
        click.BadParameter: there is no blob by that name, nor can there be.
    """
    address = Address.parse(text)
    if not address.name:
        raise click.BadParameter(f"'{text}' names a container or folder, not a blob.")
    return address


def _checked(path: str) -> str:
    # HTTP clients resolve such segments before they send a path, so the request would be for another blob.
    if {".", ".."} & set(path.split("/")):
        raise click.BadParameter(f"'{path}' has a segment '.' or '..'.")
    # In the URL of a batch's file, what follows either is no part of the path.
    if "?" in path or "#" in path:
        raise click.BadParameter(f"'{path}' has a '?' or '#', which paths on cluster storage must not have.")
    return path
