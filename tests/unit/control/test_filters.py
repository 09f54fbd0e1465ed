import pytest

from headland.control.errors import InvalidFilterError
from headland.control.filters import LONGEST, Call, Comparison, Filters, parse

FILTERS = Filters(
    values={"name": lambda item: item["name"]},
    functions={"has": lambda item, given: given[0] in item["name"]},
    tags=lambda item: item["tags"],
)
ITEMS = [
    {"name": "a", "tags": {"crop": "rye", "soil": "loam"}},
    {"name": "b", "tags": {"crop": "oats"}},
    {"name": "it's", "tags": {}},
]


def test_what_is_read():
    assert parse("Name eq 'x' AND has('a', B)".replace("AND", "and")) == [
        [Comparison("name", True, "x"), Call("has", ("a", "b"))]
    ]


@pytest.mark.parametrize(
    ("text", "names"),
    [
        (None, ["a", "b", "it's"]),
        ("", ["a", "b", "it's"]),
        ("name eq 'A'", ["a"]),
        ("name ne 'a'", ["b", "it's"]),
        ("name eq 'it''s'", ["it's"]),
        ("name eq 'a' or name eq 'b'", ["a", "b"]),
        ("name eq 'a' and name eq 'b'", []),
        ("has('t')", ["it's"]),
        ("tagName eq 'crop'", ["a", "b"]),
        ("tagName eq 'CROP' and tagValue eq 'rye'", ["a"]),
        # Of one and the same tag.
        ("tagName eq 'crop' and tagValue eq 'loam'", []),
        ("tagName eq 'crop' and name eq 'b'", ["b"]),
    ],
)
def test_what_is_selected(text, names):
    assert [item["name"] for item in FILTERS.select(ITEMS, text)] == names


@pytest.mark.parametrize(
    "text",
    [
        "name",
        "name eq",
        "name eq 'a' and",
        "name eq 'a' 'b'",
        "name eq a",
        "name lt 'a'",
        "eq 'a'",
        "has('a'",
        "size eq '1'",
        "lacks('a')",
        "name eq 'a",
        "name eq 'a' ; drop",
        "x" * (LONGEST + 1),
    ],
)
def test_what_is_refused(text):
    with pytest.raises(InvalidFilterError):
        FILTERS.select(ITEMS, text)
