"""Request bodies: encodings, media types, sizes, and what is no JSON object."""

import gzip
import json
import tracemalloc
import zlib

import pytest

from headland.settings import ServerSettings

pytestmark = pytest.mark.anyio

GOOD = b'{"file":"wasbs:///app.jar","className":"demo.App"}'

#: Without the time of day: a test's name is the same in all processes that run a part of them.
PACKED = gzip.compress(GOOD, mtime=0)


async def post(service, body: bytes, **headers: str | None):
    return await service.public.post("/batches", content=body, headers=service.headers(**headers))


NO_JSON = {
    "empty": (b"", "the body is empty; a JSON object is expected"),
    "white space": (b" \n\t", "the body is empty; a JSON object is expected"),
    "cut short": (GOOD[:-5], "the body is not JSON: "),
    "a brace": (b"{", "the body is not JSON: "),
    "a form": (b"file=wasbs%3A%2F%2F%2Fapp.jar", "the body is not JSON: "),
    "single quotes": (GOOD.replace(b'"', b"'"), "the body is not JSON: "),
    "trailing comma": (GOOD[:-1] + b",}", "the body is not JSON: "),
    "more after the end": (GOOD + b"{}", "the body is not JSON: "),
    "not UTF-8": (GOOD.replace(b"app", b"\xff\xfe"), "the body is not JSON: "),
    "UTF-16": (GOOD.decode().encode("utf-16"), "the body is not JSON: "),
    "half a surrogate pair": (GOOD.replace(b"app", rb"\ud800x"), "the body is not JSON: "),
    "NaN": (b'{"file":NaN}', "the body is not JSON: "),
    "a number out of range": (b'{"file":1e999}', "file: the number 1e999 can't be kept"),
    "null": (b"null", "expected object, got null"),
    "an array": (b"[" + GOOD + b"]", "expected object, got array"),
    "a string": (b'"wasbs:///app.jar"', "expected object, got string"),
    "a number": (b"5", "expected object, got integer"),
    "true": (b"true", "expected object, got boolean"),
    "nested too deeply": (b'{"conf":' + b'{"a":' * 50_000, "conf[...]: expected"),
    "a wrong entry, and no end": (b'{"conf":{"a":{', "conf[...]: expected"),
    "a wrong entry, and then no JSON": (b'{"conf":{"a":[]},}', "conf[...]: expected"),
    "nested too deeply in args": (b'{"args":' + b"[" * 50_000, "args[0]: expected"),
    "nested too deeply nowhere": (b"[" * 50_000, "expected object, got array"),
    "nested too deeply in an unknown field": (
        b'{"x":' + b"[" * 50_000 + b"]" * 50_000 + b"}",
        "x: unknown field",
    ),
}


@pytest.mark.parametrize(("body", "text"), NO_JSON.values(), ids=NO_JSON)
async def test_what_is_no_json_object(service, check_error, body, text):
    check_error(await post(service, body, content_type="application/json"), 400, text)
    assert service.is_untouched()


@pytest.mark.parametrize(
    "field", ["fil", "File", "classname", "class_name", "args ", "kind", "x" * 10_000, "", "\0", "ü"]
)
async def test_an_unknown_field_is_named(service, check_error, field):
    body = {"file": "wasbs:///app.jar", "className": "demo.App", field: 1}
    answer = await service.post(json=body)
    name = f"{field[:80]}: " if field else ""
    check_error(answer, 400, f"{name}unknown field; the fields are file, className, args, jars, ")
    assert service.is_untouched()


async def test_of_a_field_that_comes_twice_the_last_counts(service):
    answer = await post(service, GOOD[:-1] + b',"name":"a","name":"b"}')
    assert (answer.status_code, answer.json()["name"]) == (201, "b")


@pytest.mark.parametrize(
    "media_type",
    [
        None,
        "application/json",
        "application/json; charset=utf-8",
        "application/json;charset=UTF-8",
        "Application/JSON",
        "text/json",
        "application/vnd.livy.v0.1+json",
    ],
)
async def test_json_by_any_of_its_names(service, media_type):
    answer = await post(service, GOOD, content_type=media_type)
    assert answer.status_code == 201


@pytest.mark.parametrize(
    ("media_type", "shown"),
    [
        ("application/x-www-form-urlencoded", "application/x-www-form-urlencoded"),
        ("multipart/form-data; boundary=x", "multipart/form-data"),
        ("text/plain", "text/plain"),
        ("text/plain; charset=utf-8", "text/plain"),
        ("application/octet-stream", "application/octet-stream"),
        ("application/xml", "application/xml"),
        ("application/jsonp", "application/jsonp"),
        ("x" * 10_000, "x" * 80),
    ],
)
async def test_another_media_type_is_415(service, check_error, media_type, shown):
    answer = await post(service, GOOD, content_type=media_type)
    check_error(answer, 415, f"Content-Type must be application/json, not '{shown}'.")
    assert service.is_untouched()


def raw(body: bytes) -> bytes:
    compressor = zlib.compressobj(wbits=-15)
    return compressor.compress(body) + compressor.flush()


@pytest.mark.parametrize(
    ("encoding", "body"),
    [
        ("gzip", PACKED),
        ("GZIP", PACKED),
        (" gzip ", PACKED),
        ("deflate", zlib.compress(GOOD)),
        ("UTF-8", GOOD),  # Livy's Java client sends this with every request
        ("identity", GOOD),
        ("br", GOOD),
        ("", GOOD),
    ],
)
async def test_bodies_are_decoded_and_other_encodings_taken_for_none(service, encoding, body):
    answer = await post(service, body, content_encoding=encoding, content_type="application/json")
    assert answer.status_code == 201, answer.text


@pytest.mark.parametrize(
    ("encoding", "body", "text"),
    [
        ("gzip", GOOD, "The body is not gzip, which Content-Encoding says it is."),
        ("deflate", GOOD, "The body is not deflate, which Content-Encoding says it is."),
        ("gzip", zlib.compress(GOOD), "The body is not gzip, which Content-Encoding says it is."),
        ("gzip", PACKED[:-9], "The body ends before its gzip encoding does."),
        ("deflate", zlib.compress(GOOD)[:-5], "The body ends before its deflate encoding does."),
        ("gzip", b"", "the body is empty"),
        ("br", PACKED, "the body is not JSON"),
    ],
)
async def test_a_body_that_is_not_what_its_encoding_says(service, check_error, encoding, body, text):
    check_error(await post(service, body, content_encoding=encoding), 400, text)
    assert service.is_untouched()


LIMIT = 2000


@pytest.fixture
async def small(make_service):
    """A service that takes bodies of so many bytes."""
    return await make_service(server=ServerSettings(max_body=LIMIT))


def padded(size: int) -> bytes:
    """A good body of exactly so many bytes."""
    return GOOD[:-1] + b" " * (size - len(GOOD)) + b"}"


async def chunks(body: bytes):
    """A body that does not say beforehand how long it is."""
    for start in range(0, len(body), 100):
        yield body[start : start + 100]


@pytest.mark.parametrize("chunked", [False, True])
async def test_a_body_up_to_the_limit_is_taken(small, chunked):
    body = padded(LIMIT)
    answer = await small.public.post(
        "/batches", content=chunks(body) if chunked else body, headers=small.headers()
    )
    assert answer.status_code == 201


@pytest.mark.parametrize("chunked", [False, True])
async def test_a_body_above_the_limit_is_413(small, check_error, chunked):
    body = padded(LIMIT + 1)
    answer = await small.public.post(
        "/batches", content=chunks(body) if chunked else body, headers=small.headers()
    )
    check_error(answer, 413, f"The body is larger than the {LIMIT} bytes that server.max_body allows.")
    assert small.is_untouched()


async def test_the_limit_holds_for_what_is_decoded_too(small, check_error):
    assert (await post(small, gzip.compress(padded(LIMIT)), content_encoding="gzip")).status_code == 201
    answer = await post(small, gzip.compress(padded(LIMIT + 1)), content_encoding="gzip")
    check_error(answer, 413, f"The body is larger than the {LIMIT} bytes that server.max_body allows.")
    assert small.row(1) is None


async def test_no_more_is_decoded_than_may_be_kept(small, check_error):
    bomb = gzip.compress(b" " * 5_000_000)[:LIMIT]
    tracemalloc.start()
    try:
        answer = await post(small, bomb, content_encoding="gzip")
        _, most = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    check_error(answer, 413, "The body is larger than")
    assert most < 1_000_000


async def test_a_body_is_not_read_before_its_sender_is_known(service, check_error):
    read = []

    async def body():
        read.append(True)
        yield GOOD

    answer = await service.public.post("/batches", content=body(), headers={"x-requested-by": "test"})
    check_error(answer, 401, "A bearer token is needed")
    assert not read


def test_the_smallest_good_body_is_json():
    assert json.loads(padded(100)) == json.loads(GOOD)
