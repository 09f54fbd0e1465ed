"""Forms with a file, however they are cut on their way."""

from collections.abc import AsyncIterator

import pytest
from tests.loop_lag import MOST_LAG, longest_lag

from headland.http.bodies import BodyError
from headland.http.forms import Form, Part, read_form

pytestmark = pytest.mark.anyio

#: Bytes in which a boundary seems to begin, again and again.
FILE = b"\r\n--BOUND\r\n--BOUNDAR\r\r\n\r\n--" + bytes(range(256))


def body(*, file: bytes = FILE) -> bytes:
    return b"".join(
        (
            b'--BOUNDARY\r\nContent-Disposition: form-data; name="name"\r\n\r\nN\xc3\xa4me\r\n',
            # Another client's order and case of headers.
            b"--BOUNDARY\r\ncontent-type: image/TIFF; x=y\r\n",
            b'CONTENT-DISPOSITION: form-data; name="File"; filename="a b.tif"\r\n\r\n' + file + b"\r\n",
            b'--BOUNDARY\r\nContent-Disposition: form-data; name="empty"\r\n\r\n\r\n--BOUNDARY--\r\n',
        )
    )


async def cut(data: bytes, size: int) -> AsyncIterator[bytes]:
    for start in range(0, len(data), size):
        yield data[start : start + size]


class Taken:
    """What was taken of a file."""

    def __init__(self) -> None:
        self.data = b""

    async def __call__(self, _part: Part, data: AsyncIterator[bytes]) -> None:
        async for chunk in data:
            self.data += chunk


async def read(data: bytes, size: int, most_text: int = 100) -> tuple[Form, bytes]:
    taken = Taken()
    return await read_form(cut(data, size), "BOUNDARY", most_text, taken), taken.data


@pytest.mark.parametrize("size", [1, 2, 3, 7, 64, 10_000])
async def test_a_form_is_the_same_however_it_is_cut(size: int) -> None:
    form, file = await read(body(), size)
    assert form.fields == {"name": "Näme", "empty": ""}
    assert form.file == Part("File", "a b.tif", "image/tiff")
    assert file == FILE


@pytest.mark.parametrize("size", [1, 5, 10_000])
async def test_a_form_that_is_cut_short_is_none(size: int) -> None:
    whole = body()
    for end in range(0, len(whole) - 4, 37):
        with pytest.raises(BodyError) as refused:
            await read(whole[:end], size)
        assert refused.value.status == 400


async def test_only_text_is_limited() -> None:
    form, file = await read(body(file=b"x" * 10_000), 1000, most_text=5)
    assert (form.fields["name"], len(file)) == ("Näme", 10_000)
    with pytest.raises(BodyError) as refused:
        await read(body(), 1000, most_text=4)
    assert refused.value.status == 413


async def test_what_taking_a_file_raises_is_raised() -> None:
    async def take(_part: Part, _data: AsyncIterator[bytes]) -> None:
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        await read_form(cut(body(), 10), "BOUNDARY", 100, take)


NAMED = b'--BOUNDARY\r\nContent-Disposition: form-data; name="%s"\r\n'

#: Bodies of a megabyte.
HOSTILE = {
    "parts": NAMED % b"a" * 15_000,
    "headers": NAMED % b"a" + b"x: y\r\n" * 150_000,
    "a name": NAMED % (b'a\\"' * 300_000),
    "parameters": b"--BOUNDARY\r\nContent-Disposition: form-data" + b";a=b" * 240_000 + b"\r\n\r\n",
    "folders": NAMED % (b'File"; filename="' + b"/" * 900_000) + b"\r\n",
    "boundaries that are none": NAMED % b"File" + b"\r\n" + b"\r\n--" * 240_000,
    "line ends": NAMED % b"File" + b"\r\n" + b"\r" * 900_000,
}


@pytest.mark.parametrize("size", [65_536, 1 << 20])
@pytest.mark.parametrize("name", HOSTILE)
async def test_no_form_holds_up_others(name: str, size: int) -> None:
    async def refused() -> None:
        with pytest.raises(BodyError):
            await read(HOSTILE[name], size)

    assert await longest_lag(refused) < MOST_LAG
