"""Numbers that a double can't hold: found in whatever body, and told by their place."""

import json
import time
import tracemalloc

import pytest

from headland.http.validation import BodyInvalidError, decode_json


@pytest.mark.parametrize(
    ("body", "place", "number"),
    [
        (b'{"a":{"b":[1,{"c":12345e400}]}}', "a.b[1].c", "12345e400"),
        (b'{"a\\"b\\\\":["x\\\\",-1e-999]}', 'a"b\\[1]', "-1e-999"),
        (b'{"1e999":"1e999, 1e999","x":[[],[1e0999]]}', "x[1][0]", "1e0999"),
        (b'{"x":' + b"1" * 250 + b"e99}", "x", "1" * 40),
        (b'{"x":0.' + b"0" * 250 + b"1e-99}", "x", "0." + "0" * 38),
    ],
)
def test_a_number_that_can_not_be_kept_is_told_by_its_place(body: bytes, place: str, number: str) -> None:
    with pytest.raises(BodyInvalidError) as refused:
        decode_json(body, object)
    assert refused.value.field == place
    assert refused.value.reason.startswith(f"the number {number}")


@pytest.mark.parametrize(
    "body",
    [
        b'{"x":"a, 1e999 ","y":[-0.0e-999,0e999,1e308,5e-324]}',
        b"[" + b"1" * 250 + b"]",
        b"[0." + b"0" * 250 + b"1]",
        b'["' + b",1e999" * 100_000 + b'"]',
        b"[" + b"1e100," * 100_000 + b"1]",
    ],
)
def test_what_can_be_kept_is_decoded(body: bytes) -> None:
    assert decode_json(body, object) == json.loads(body)


def test_no_more_numbers_at_the_edge_than_are_decoded_soon() -> None:
    assert decode_json(b"[" + b"1e299," * 999 + b"1]", object)
    began = time.thread_time()
    with pytest.raises(BodyInvalidError, match="has more than 1000 numbers"):
        decode_json(b"[" + b"1e299," * 140_000 + b"1]", object)
    assert time.thread_time() - began < 0.2


def test_a_place_deep_down_is_put_into_words_once() -> None:
    deep = (b'{"%b":' % (b"a" * 80)) * 300 + b"[1e999" + b",[]" * 300_000 + b"]" + b"}" * 300
    tracemalloc.start()
    try:
        with pytest.raises(BodyInvalidError):
            decode_json(deep, object)
        assert tracemalloc.get_traced_memory()[1] < 100 << 20
    finally:
        tracemalloc.stop()
