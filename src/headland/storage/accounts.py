"""Where each account of the settings is kept. Nothing is opened or imported for it yet."""

from dataclasses import dataclass, field
from pathlib import Path

from headland.settings import AccountSettings, SettingsError, StorageSettings
from headland.storage.blobs import AccountKind

_KINDS: dict[str, AccountKind] = {"file": "folder", "az": "azure", "s3": "s3", "gs": "gcs"}


@dataclass(frozen=True, slots=True)
class AccountPlace:
    """An account as the settings describe it."""

    name: str
    kind: AccountKind
    #: The folder, Azure's name for the account, or the bucket.
    location: str
    #: Begins every key in the bucket, without slashes at its ends.
    prefix: str = ""
    #: Whether a folder is made where it is missing.
    make: bool = False
    #: Credentials and endpoint; kept out of what a log or a traceback shows of this record.
    options: dict[str, str] = field(default_factory=dict, repr=False)
    #: Whether who may read a blob gets a link to it at the store.
    links: bool = False


def places_of(settings: StorageSettings, home: Path) -> dict[str, AccountPlace]:
    """Every account by its name; the default one is a folder in `home` unless the settings place it.

    Raises:
        SettingsError: an account's address is incomplete, or says more than its kind has.
    """
    default = settings.default_account
    places = {default: AccountPlace(default, "folder", str(home / default), make=True)}
    return places | {name: _place(name, account) for name, account in sorted(settings.accounts.items())}


def _place(name: str, account: AccountSettings) -> AccountPlace:
    scheme, _, rest = account.url.partition("://")
    kind = _KINDS[scheme]
    if kind == "folder":
        if account.options:
            raise SettingsError(f"storage.accounts.{name}.options: a folder takes none")
        return AccountPlace(name, kind, rest)
    location, _, prefix = rest.rstrip("/").partition("/")
    if not location:
        raise SettingsError(f"storage.accounts.{name}.url: '{account.url}' names no account or bucket")
    if kind == "azure" and prefix:
        raise SettingsError(
            f"storage.accounts.{name}.url: '{account.url}' has a path; the containers are the account's own"
        )
    options = dict(account.options)
    return AccountPlace(name, kind, location, prefix.strip("/"), options=options, links=account.links)
