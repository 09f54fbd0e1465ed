"""Open obstore's clients for an account's containers."""

from datetime import timedelta
from typing import TYPE_CHECKING, Any

from obstore.store import AzureStore, GCSStore, S3Store

from headland.storage.accounts import AccountPlace

if TYPE_CHECKING:
    from obstore.store import RetryConfig

Store = AzureStore | S3Store | GCSStore

#: Options that an account's settings may override. obstore's own limit for a whole request is 30 seconds,
#: in which a large archive is not read: what counts is that bytes keep coming.
_DEFAULTS = {"timeout": "1 day", "connect_timeout": "5s", "read_timeout": "60s"}

#: A submission waits for this, so a store that is down has to be called down within seconds, not minutes.
_RETRIES = 3
_RETRY_TIMEOUT = timedelta(seconds=15)


def open_store(place: AccountPlace, container: str) -> Store:
    """The client for one container: a container of the Azure account, else the keys of the bucket that begin
    with the container's name. Google Cloud Storage is experimental: no test has met the real service.

    Raises:
        obstore.exceptions.BaseError: an option is unknown or malformed.
    """
    retries: RetryConfig = {"max_retries": _RETRIES, "retry_timeout": _RETRY_TIMEOUT}
    # obstore takes these names and more; which of them it knows it says itself.
    options: Any = {**_DEFAULTS, **place.options}
    if place.kind == "azure":
        options = {"account_name": place.location, **options}
        return AzureStore(container, config=options, retry_config=retries)
    prefix = f"{place.prefix}/{container}" if place.prefix else container
    if place.kind == "s3":
        return S3Store(place.location, prefix=prefix, config=options, retry_config=retries)
    return GCSStore(place.location, prefix=prefix, config=options, retry_config=retries)
