"""URL forms: what is an address, and what is refused in which words."""

import pytest

from headland.storage.errors import StorageUrlError
from headland.storage.names import LONGEST_PATH, MOST_SEGMENTS
from headland.storage.urls import BlobUrl, parse_blob_url

FULL = BlobUrl("farm", "data", "jars/app.jar")


def parse(text: str) -> BlobUrl:
    return parse_blob_url(text, "headland", "default")


@pytest.mark.parametrize(
    ("text", "url"),
    [
        ("wasbs://data@farm/jars/app.jar", FULL),
        ("wasbs://data@farm.blob.core.windows.net/jars/app.jar", FULL),
        ("wasbs:///app.jar", BlobUrl("headland", "default", "app.jar")),
        ("wasbs:///a/b/c", BlobUrl("headland", "default", "a/b/c")),
        ("wasbs://$root@farm/app.jar", BlobUrl("farm", "$root", "app.jar")),
        ("wasbs://$web@farm/app.jar", BlobUrl("farm", "$web", "app.jar")),
        ("wasbs://a-b@farm/x", BlobUrl("farm", "a-b", "x")),
        (f"wasbs://{'c' * 63}@farm/x", BlobUrl("farm", "c" * 63, "x")),
        (f"wasbs://data@{'a' * 24}/x", BlobUrl("a" * 24, "data", "x")),
        # Nothing is decoded: these are names like any other.
        ("wasbs:///%2e%2e/x", BlobUrl("headland", "default", "%2e%2e/x")),
        ("wasbs:///a%2Fb", BlobUrl("headland", "default", "a%2Fb")),
        ("wasbs:///a%00", BlobUrl("headland", "default", "a%00")),
        ("wasbs:///.hidden/..x/x../...", BlobUrl("headland", "default", ".hidden/..x/x../...")),
        ("wasbs:///.uploads/x", BlobUrl("headland", "default", ".uploads/x")),
        (
            "wasbs:///with space/größe@2:x&y=z;~.jar",
            BlobUrl("headland", "default", "with space/größe@2:x&y=z;~.jar"),
        ),
        ("wasbs:///env.tar.gz#environment", BlobUrl("headland", "default", "env.tar.gz", "environment")),
        ("wasbs:///app.jar#", BlobUrl("headland", "default", "app.jar")),
        (f"wasbs:///{'x' * LONGEST_PATH}", BlobUrl("headland", "default", "x" * LONGEST_PATH)),
    ],
)
def test_an_address_is_understood(text: str, url: BlobUrl) -> None:
    assert parse(text) == url
    assert parse(str(url)) == url


def test_the_canonical_form_names_everything() -> None:
    assert str(parse("wasbs:///a/b.zip#name")) == "wasbs://default@headland/a/b.zip#name"
    assert str(parse("wasbs://data@farm.blob.core.windows.net/x")) == "wasbs://data@farm/x"
    assert FULL.name == "app.jar"


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("", "does not begin with wasbs://"),
        ("/etc/passwd", "does not begin with wasbs://"),
        ("app.jar", "does not begin with wasbs://"),
        ("file:///etc/passwd", "does not begin with wasbs://"),
        ("wasb://data@farm/x", "does not begin with wasbs://"),
        ("abfss://data@farm.dfs.core.windows.net/x", "does not begin with wasbs://"),
        ("https://farm.blob.core.windows.net/data/x", "does not begin with wasbs://"),
        ("WASBS:///x", "does not begin with wasbs://"),
        (" wasbs:///x", "does not begin with wasbs://"),
        ("wasbs:/x", "does not begin with wasbs://"),
        ("wasbs://", "names no path"),
        ("wasbs:///", "names no path"),
        ("wasbs:///#name", "names no path"),
        ("wasbs://data@farm", "names no path"),
        ("wasbs://data@farm/", "names no path"),
        ("wasbs://farm/x", "names no container"),
        ("wasbs://@farm/x", "names no container before '@'"),
        ("wasbs://data@/x", "names no account after '@'"),
        ("wasbs://user:secret@farm/x", "user or password"),
        ("wasbs://data@other@farm/x", "user or password"),
        ("wasbs://data@farm:443/x", "has a port"),
        ("wasbs://data@farm.blob.core.windows.net:443/x", "has a port"),
        ("wasbs://data@farm.dfs.core.windows.net/x", "no account name"),
        ("wasbs://data@farm.blob.core.windows.net.evil.example/x", "no account name"),
        ("wasbs://data@.blob.core.windows.net/x", "no account name"),
        ("wasbs://data@fa/x", "no account name"),
        (f"wasbs://data@{'a' * 25}/x", "no account name"),
        ("wasbs://data@Farm/x", "no account name"),
        ("wasbs://data@fa-rm/x", "no account name"),
        ("wasbs://data@../x", "no account name"),
        ("wasbs://data@farm\n/x", "no account name"),
        ("wasbs://da@farm/x", "no container name"),
        (f"wasbs://{'c' * 64}@farm/x", "no container name"),
        ("wasbs://Data@farm/x", "no container name"),
        ("wasbs://da--ta@farm/x", "no container name"),
        ("wasbs://-data@farm/x", "no container name"),
        ("wasbs://data-@farm/x", "no container name"),
        ("wasbs://da_ta@farm/x", "no container name"),
        ("wasbs://$data@farm/x", "no container name"),
        ("wasbs://..@farm/x", "no container name"),
        ("wasbs://.uploads@farm/x", "no container name"),
        ("wasbs://dätä@farm/x", "no container name"),
        ("wasbs:////x", "empty segment"),
        ("wasbs:///a//b", "empty segment"),
        ("wasbs:///a/", "empty segment"),
        ("wasbs:///.", "segment '.'"),
        ("wasbs:///..", "segment '..'"),
        ("wasbs:///../x", "segment '..'"),
        ("wasbs:///a/../../../etc/passwd", "segment '..'"),
        ("wasbs:///a/./b", "segment '.'"),
        ("wasbs:///a/..", "segment '..'"),
        ("wasbs:///a\\..\\b", "a backslash"),
        ("wasbs:///a\x00b", "control character \\x00"),
        ("wasbs:///a\nb", "control character \\n"),
        ("wasbs:///a\n", "control character \\n"),
        ("wasbs:///a\x7f", "control character \\x7f"),
        ("wasbs:///a\x85", "control character \\x85"),
        ("wasbs:///a\ud800", "control character \\ud800"),
        ("wasbs:///a\udcff", "control character \\udcff"),
        ("wasbs:///a?b=c", "has a query"),
        ("wasbs://data@farm/a?sig=topsecret#x", "has a query"),
        ("wasbs://data@farm?x/a", "has a query"),
        ("wasbs:///a#b/c", "after '#' is no plain name"),
        ("wasbs:///a#../c", "after '#' is no plain name"),
        ("wasbs:///a#..", "after '#' is no plain name"),
        ("wasbs:///a#b#c", "after '#' is no plain name"),
        ("wasbs:///a#b\x00", "after '#' is no plain name"),
        (f"wasbs:///{'x' * (LONGEST_PATH + 1)}", "longer than 1024"),
        ("wasbs:///" + "/".join("x" * (MOST_SEGMENTS + 1)), "more than 254 segments"),
    ],
)
def test_what_is_no_address_is_refused_in_words(text: str, problem: str) -> None:
    with pytest.raises(StorageUrlError) as refusal:
        parse(text)
    message = str(refusal.value)
    assert problem in message
    assert message.isprintable()
    assert message.encode()
    assert refusal.value.status == 400


def message_of(text: str) -> str:
    with pytest.raises(StorageUrlError) as refusal:
        parse(text)
    return str(refusal.value)


def test_a_refusal_names_the_url_without_what_may_be_secret() -> None:
    assert message_of("wasbs://data@farm/a?sig=topsecret").startswith("wasbs://data@farm/a?…: ")
    assert message_of("wasbs://user:topsecret@farm/a").startswith("wasbs://user:***@farm/a: ")
    assert "topsecret" not in message_of("https://user:topsecret@host/a?topsecret")


def test_a_refusal_does_not_repeat_a_text_without_end() -> None:
    assert len(message_of("wasbs:///" + "x" * 100_000)) < 500


def test_no_address_can_be_made_that_breaks_the_rules() -> None:
    for parts in (("farm", "data", "../x"), ("farm", "..", "x"), ("..", "data", "x"), ("farm", "data", "")):
        with pytest.raises(StorageUrlError):
            BlobUrl(*parts)
