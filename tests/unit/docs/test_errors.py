"""The page of errors has every code that the farm service can answer."""

import re
from pathlib import Path

from headland.farm.answers import OTHER_CODES
from headland.farm.errors import FarmError

ROOT = Path(__file__).parents[3]

#: How a code is written down where it is answered, or told of a line or a job.
CODES = (
    r'^    code = "(\w+)"',
    r'_Refusal\(\s*\d+, "(\w+)"',
    r'_stopped\("(\w+)"',
    r'Refused\(line, "(\w+)"',
    r'\b\d{3}: "(\w+)"',
    r'_CODES\.get\([\w.]+, "(\w+)"\)',
)


def subclasses(error: type[FarmError]) -> list[type[FarmError]]:
    return [each for below in error.__subclasses__() for each in (below, *subclasses(below))]


def test_every_code_of_the_farm_service_is_on_the_page() -> None:
    page = (ROOT / "docs/errors.md").read_text().partition("## Farm")[2].partition("\n## ")[0]
    rows = re.findall(r"^\| (\d+) \| `(\w+)` \|", page, re.MULTILINE)
    declared = {(str(error.status), error.code) for error in subclasses(FarmError)}
    declared |= {(str(status), code) for status, code, _ in OTHER_CODES}
    assert set(rows) == declared
    source = "\n".join(path.read_text() for path in (ROOT / "src/headland/farm").rglob("*.py"))
    written = {code for pattern in CODES for code in re.findall(pattern, source, re.MULTILINE)}
    assert len(written) > 20
    assert written <= {code for _, code in rows}
