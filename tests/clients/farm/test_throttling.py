"""An SDK that asks for more than it may waits as it is told, and nothing is lost."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.clients.farm.conftest import drivers_of, reached_at
from tests.serving import Served


@pytest.fixture
def driver(tmp_path: Path) -> Iterator[Callable[..., Any]]:
    """With an instance that takes twelve writes at once, and one more each five seconds."""
    settings = {"server_services": "identity,control,farm", "farm_units_a_minute": "60"}
    served = Served(tmp_path / "home", **settings)
    try:
        served.start(authorize=False)
        yield drivers_of(reached_at(served), tmp_path)
    finally:
        served.close()


def test_azure_agrifood_farming_waits_as_it_is_told(driver: Callable[..., Any]) -> None:
    seen = driver("throttled.py")
    assert seen["found"] == 14
    assert seen["seen"].count(201) == 14
    assert 1 <= seen["seen"].count(429) <= 4
    assert seen["took"] > 3
