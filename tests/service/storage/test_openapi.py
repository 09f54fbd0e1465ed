"""The declared operations make a description that agrees with what is answered."""

from headland.http.openapi import openapi
from headland.storage import Storage
from headland.storage.routes import storage_api


def test_every_operation_is_described_with_its_answers(storage: Storage) -> None:
    document = openapi("Headland", "1", [storage_api(storage, None, 1)])
    paths = document["paths"]
    assert {path: sorted(methods) for path, methods in paths.items()} == {
        "/storage/": ["get"],
        "/storage/file-system/entries/{account}/{container}/{path}": ["delete", "get", "post", "put"],
        "/storage/file-system/children/{account}/{container}/{path}": ["get"],
        "/storage/file-system/links/{account}/{container}/{path}": ["get"],
        "/storage/file-system/parts/{upload}/{account}/{container}/{path}": ["delete", "post", "put"],
        "/storage/{account}/{container}": ["get"],
        "/storage/{account}/{container}/{path}": ["delete", "get", "head", "put"],
    }
    blob = paths["/storage/{account}/{container}/{path}"]
    assert blob["put"]["requestBody"]["content"] == {
        "application/octet-stream": {"schema": {"type": "string", "format": "binary"}}
    }
    assert {"200", "201", "400", "401", "404", "408", "409", "412", "413", "502", "503"} == set(
        blob["put"]["responses"]
    )
    assert all(operation["security"] for methods in paths.values() for operation in methods.values())
    names = [operation["operationId"] for methods in paths.values() for operation in methods.values()]
    assert len(set(names)) == len(names) == 15
    schemas = document["components"]["schemas"]
    assert set(schemas["BlobList"]["properties"]) == {"blobs", "nextMarker"}
    assert set(schemas["StoredBlob"]["properties"]) == {"path", "url", "size", "modified", "etag"}
