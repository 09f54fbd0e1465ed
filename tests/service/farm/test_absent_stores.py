"""An instance whose folder is not there for a while."""

from pathlib import Path

import pytest
from tests.databases import ON_SQLITE
from tests.service.farm.conftest import Caller
from tests.service.farm.test_refusals import check

pytestmark = [ON_SQLITE, pytest.mark.anyio]


async def test_a_store_that_is_away(admin: Caller, tmp_path: Path) -> None:
    folder = tmp_path / "farm" / "store-meadow"
    folder.rename(folder.with_name("away"))
    answer = await admin("GET", "/parties")
    check(answer, 503, "ServiceUnavailable")
    assert answer.headers["retry-after"] == "1"
    assert not folder.exists()
    folder.with_name("away").rename(folder)
    assert (await admin("GET", "/parties")).status_code == 200
