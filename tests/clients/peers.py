"""What tests do without a program of somebody else's that they need."""

import os
from typing import NoReturn

import pytest


def is_missing(reason: str) -> NoReturn:
    """Skip the test; fail it where `REQUIRE_PEERS=1` says that it must run."""
    if os.environ.get("REQUIRE_PEERS") == "1":
        pytest.fail(reason)
    pytest.skip(reason)
