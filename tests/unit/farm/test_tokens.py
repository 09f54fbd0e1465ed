"""Tokens of pages."""

import re

import pytest

from headland.farm.documents.tokens import Continuation, opened, sealed
from headland.farm.errors import InvalidInputError

SECRET = b"s" * 32
CONTINUATION = Continuation(
    "parties", None, None, {"names": ["ü & #", "b"], "years": [1, -2]}, 12345678901, 50
)


def test_a_token_says_what_was_put_into_it() -> None:
    token = sealed(CONTINUATION, SECRET)
    assert opened(token, SECRET) == CONTINUATION
    assert re.fullmatch(r"[A-Za-z0-9_\-]+", token)


def test_every_changed_character_is_noticed() -> None:
    token = sealed(CONTINUATION, SECRET)
    for place, old in enumerate(token[:-1]):
        new = "A" if old != "A" else "B"
        with pytest.raises(InvalidInputError):
            opened(token[:place] + new + token[place + 1 :], SECRET)


@pytest.mark.parametrize("token", ["", "x", "A" * 21, "A" * 22, "=", "a b", "ü", "\ud800", "A" * 100_000])
def test_what_is_no_token(token: str) -> None:
    with pytest.raises(InvalidInputError):
        opened(token, SECRET)


def test_another_instances_token() -> None:
    with pytest.raises(InvalidInputError):
        opened(sealed(CONTINUATION, b"t" * 32), SECRET)
