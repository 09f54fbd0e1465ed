import pytest

from headland.identity.forms import FormError, parse_multipart, parse_urlencoded


def part(name: str, value: bytes, extra: str = "") -> bytes:
    return f'--b\r\nContent-Disposition: form-data; name="{name}"\r\n{extra}\r\n'.encode() + value + b"\r\n"


@pytest.mark.parametrize(
    ("body", "fields"),
    [
        (b"", {}),
        (b"a=1&b=2", {"a": "1", "b": "2"}),
        (b"a=1&&b=2&", {"a": "1", "b": "2"}),
        (b"a=", {"a": ""}),
        (b"a=b=c", {"a": "b=c"}),
        (b"a=x+y%2Bz%3D", {"a": "x y+z="}),
        (b"%61=%C3%A4", {"a": "ä"}),
        ("a=ä".encode(), {"a": "ä"}),
    ],
)
def test_urlencoded_forms(body, fields):
    assert parse_urlencoded(body) == fields


@pytest.mark.parametrize(
    ("body", "problem"),
    [
        (b"a", "not a urlencoded form"),
        (b"a=1&%61=1", "'a' is repeated"),
        (b"a=%80", "not UTF-8"),
        (b"\x80=a", "not UTF-8"),
    ],
)
def test_bad_urlencoded_forms(body, problem):
    with pytest.raises(FormError, match=problem):
        parse_urlencoded(body)


@pytest.mark.parametrize(
    ("body", "fields"),
    [
        (part("a", b"1") + part("b", b"2") + b"--b--\r\n", {"a": "1", "b": "2"}),
        (part("a", b"1") + b"--b--", {"a": "1"}),
        (part("a", b"") + b"--b--\r\n", {"a": ""}),
        (part('a"; filename="a', b"1") + b"--b--\r\n", {"a": "1"}),
        (part("a", b"x\r\ny") + b"--b--\r\n", {"a": "x\r\ny"}),
        (part("ä", "ö".encode()) + b"--b--\r\n", {"ä": "ö"}),
        (part("a", b"x+y%20", "Content-Type: text/plain\r\n") + b"--b--\r\n", {"a": "x+y%20"}),
    ],
)
def test_multipart_forms(body, fields):
    assert parse_multipart(body, "b") == fields


@pytest.mark.parametrize(
    ("body", "boundary", "problem"),
    [
        (part("a", b"1") + b"--b--\r\n", "", "no boundary"),
        (part("a", b"1") + b"--b--\r\n", "c", "not a multipart form"),
        (part("a", b"1") + b"--b--\r\n", "b" * 1000, "not a multipart form"),
        (part("a", b"1"), "b", "ends before"),
        (b"", "b", "ends before"),
        (part("a", b"1") + part("a", b"1") + b"--b--\r\n", "b", "'a' is repeated"),
        (part("a", b"\xff") + b"--b--\r\n", "b", "not UTF-8"),
        (b"--b\r\nX-Other: y\r\n\r\n1\r\n--b--\r\n", "b", "has no name"),
        (b'--b\r\nContent-Disposition: attachment; name="a"\r\n\r\n1\r\n--b--\r\n', "b", "has no name"),
    ],
)
def test_bad_multipart_forms(body, boundary, problem):
    with pytest.raises(FormError, match=problem):
        parse_multipart(body, boundary)


def test_no_problem_quotes_a_value():
    for broken in (b"client_secret:hidden", b"s=hidden&s=hidden"):
        with pytest.raises(FormError) as caught:
            parse_urlencoded(broken)
        assert "hidden" not in str(caught.value)
