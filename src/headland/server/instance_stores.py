"""What instances keep and where: their documents, their files, and what is to be done for them."""

from headland.farm import Files, Pending, Presence, Stores, Throttle, Units
from headland.server.deployment import Deployment
from headland.settings import AccountSettings, Home, Settings, StorageSettings
from headland.storage import Storage


def stores_of(deployment: Deployment) -> Stores:
    """The instances' stores of a deployment: for the farm service, and for who provisions instances."""
    return Stores(deployment.shelf)


def pending_of(home: Home) -> Pending:
    """What is to be done for instances of a deployment, beside requests."""
    return Pending(home.pending)


def files_of(home: Home, settings: Settings) -> Files:
    """The files of a deployment's instances, in an account of their own."""
    farm = settings.farm
    account = AccountSettings(farm.files_url, farm.files_options) if farm.files_url else None
    kept = StorageSettings("farm", "files", accounts={"farm": account} if account else {})
    return Files(Storage(kept, home.files), Presence(home.receiving), farm.max_file, farm.file_types)


def throttle_of(home: Home, settings: Settings) -> Throttle:
    """What instances' requests may use, and have used."""
    farm = settings.farm
    return Throttle(Units(farm.units_a_minute, farm.units_in_five_minutes, farm.job_units), home.units)


class InstanceStores:
    """What instances have: `headland.control`'s deployer makes and removes it."""

    def __init__(self, stores: Stores, files: Files, pending: Pending) -> None:
        self._stores = stores
        self._files = files
        self._pending = pending

    def lay_out(self, store_key: str) -> None:
        """See `headland.farm.Stores.lay_out`."""
        self._stores.lay_out(store_key)

    def remove(self, store_key: str) -> None:
        """The documents first: from then on nobody can ask for the files."""
        self._stores.remove(store_key)
        self._pending.forget(store_key)
        self._files.remove_all(store_key)
