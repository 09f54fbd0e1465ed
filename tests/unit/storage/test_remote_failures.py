"""A remote store's errors in our words: the right class, the account's name, and never a credential."""

import pytest
from obstore.exceptions import GenericError, PermissionDeniedError, UnauthenticatedError

from headland.storage.accounts import AccountPlace
from headland.storage.errors import (
    BlobNotFoundError,
    StorageDeniedError,
    StorageError,
    StorageUnavailableError,
)
from headland.storage.remote.failures import remote_errors

URL = "wasbs://data@farm/a"
OPTIONS = {"account_key": "TOPSECRET", "sas_key": "sv=1&sig=TOPSECRET", "endpoint": "https://store.example"}


def translated(error: Exception) -> StorageError:
    place = AccountPlace("farm", "azure", "farm", options=OPTIONS)
    with pytest.raises(StorageError) as caught, remote_errors(place, URL, "data"):
        raise error
    assert "TOPSECRET" not in str(caught.value)
    assert caught.value.__cause__ is None
    assert caught.value.__suppress_context__
    return caught.value


@pytest.mark.parametrize(
    ("error", "kind", "message"),
    [
        (
            FileNotFoundError("Object at location a not found: status code: 404 Not Found: "),
            BlobNotFoundError,
            URL,
        ),
        (
            GenericError("list: status code: 404 Not Found: <Error><Code>ContainerNotFound</Code></Error>"),
            BlobNotFoundError,
            "no container 'data' in account 'farm'",
        ),
        (
            GenericError("status code: 404: <Code>NoSuchBucket</Code>"),
            StorageUnavailableError,
            "no bucket 'farm'",
        ),
        (
            GenericError(
                "GET https://x/?sig=TOPSECRET - status code: 403 Forbidden: <Code>SignatureDoesNotMatch</Code>"
            ),
            StorageDeniedError,
            "its store answered 403 (SignatureDoesNotMatch)",
        ),
        (PermissionDeniedError("no privileges - because of TOPSECRET"), StorageDeniedError, "because of ***"),
        (UnauthenticatedError("status code: 401"), StorageDeniedError, "its store answered 401"),
        (
            GenericError("status code: 500 Oops: <Code>InternalError</Code>"),
            StorageUnavailableError,
            "500 (InternalError)",
        ),
        (
            GenericError(
                "performing GET https://store.example/data/a?sv=1&sig=TOPSECRET in 5ms - HTTP error: error sending "
                'request\n\nDebug source:\nHttpError {\n  kind: Connect,\n  uri: "?sig=TOPSECRET" }'
            ),
            StorageUnavailableError,
            "'farm' is not available: HTTP error: error sending request (Connect).",
        ),
        (
            GenericError("reached https://store.example/?sig=OTHER"),
            StorageUnavailableError,
            "https://store.example/?…",
        ),
        (ValueError("HTTP error: builder error"), StorageUnavailableError, "needs the option allow_http"),
        (GenericError("key 'TOPSECRET' is malformed"), StorageUnavailableError, "key '***' is malformed"),
    ],
)
def test_an_error_becomes_one_of_ours(error: Exception, kind: type, message: str) -> None:
    found = translated(error)
    assert type(found) is kind
    assert message in str(found)


def test_statuses_tell_a_refusal_from_an_outage() -> None:
    assert translated(GenericError("status code: 403")).status == 502
    assert translated(GenericError("status code: 500")).status == 503
    assert translated(FileNotFoundError("x")).status == 404
