"""Python cells: values, errors and magic lines, as Livy shows them."""

import base64
import datetime
import decimal
import io
import pickle
import sys
from collections.abc import Iterator

import pytest

from headland.jobs.sessions.interpreter.magics import TABLE, CellError
from headland.jobs.sessions.interpreter.outputs import failed_by, limited, succeeded
from headland.jobs.sessions.interpreter.python_cells import PythonCells


@pytest.fixture
def cells() -> Iterator[PythonCells]:
    former = sys.modules["__main__"]
    yield PythonCells()
    sys.modules["__main__"] = former


def shown(cells: PythonCells, code: str, capsys: pytest.CaptureFixture[str]) -> str:
    assert cells.run(0, "pyspark", code) == {}
    return capsys.readouterr().out


def failure(cells: PythonCells, code: str) -> dict[str, object]:
    with pytest.raises(BaseException) as raised:  # noqa: PT011 - whatever a cell raises
        cells.run(3, "pyspark", code)
    # Without this function's own frame.
    trace = raised.value.__traceback__
    return failed_by(3, raised.value.with_traceback(trace.tb_next if trace else None))


@pytest.mark.parametrize(
    ("code", "printed"),
    [
        ("1+1", "2\n"),
        ("None", ""),
        ("x = 5", ""),
        ("x = 5\nx", "5\n"),
        ("for x in range(2):\n    x", ""),
        ("print('a')\n'b'", "a\n'b'\n"),
        ("", ""),
        ("# nothing", ""),
        ("1;", "1\n"),
    ],
)
def test_the_last_expressions_value_is_shown(
    cells: PythonCells, capsys: pytest.CaptureFixture[str], code: str, printed: str
) -> None:
    assert shown(cells, code, capsys) == printed


def test_names_and_futures_stay(cells: PythonCells, capsys: pytest.CaptureFixture[str]) -> None:
    cells.run(0, "pyspark", "from __future__ import annotations\ndef twice(x): return 2 * x")
    cells.run(1, "pyspark", "class Field:\n    size: unknown = 1\nfield = Field()")
    assert shown(cells, "twice(field.size), __name__, Field.__module__", capsys) == (
        "(2, '__main__', '__main__')\n"
    )
    pickled = pickle.dumps(cells.names["twice"])
    assert pickle.loads(pickled) is cells.names["twice"]  # noqa: S301


def test_an_error_has_the_cells_own_frames_and_lines(cells: PythonCells) -> None:
    cells.run(2, "pyspark", "def fail(x):\n    raise ValueError(f'no {x}')\n")
    found = failure(cells, "y = 1\nfail('seed')")
    assert (found["status"], found["ename"], found["evalue"]) == ("error", "ValueError", "no seed")
    text = "".join(found["traceback"])
    assert text.startswith('Traceback (most recent call last):\n  File "<cell 3>", line 2')
    assert "fail('seed')" in text
    assert 'File "<cell 2>", line 2, in fail' in text
    assert "headland" not in text


def test_incomplete_code(cells: PythonCells) -> None:
    found = failure(cells, "def f(:")
    assert found["ename"] == "SyntaxError"
    assert '  File "<cell 3>", line 1\n' in found["traceback"]


def test_leaving_is_an_error(cells: PythonCells) -> None:
    assert failure(cells, "import sys; sys.exit(3)")["ename"] == "SystemExit"


def test_an_exception_that_cannot_be_shown(cells: PythonCells) -> None:
    found = failure(cells, "class Odd(Exception):\n    def __str__(self): raise RuntimeError\nraise Odd\n")
    assert found["ename"] == "Odd"
    assert "can't be shown: RuntimeError" in found["evalue"]


def test_half_a_surrogate_pair_in_an_error(cells: PythonCells) -> None:
    assert failure(cells, "raise ValueError('\\udc80')")["evalue"] == "\\udc80"


def test_json(cells: PythonCells) -> None:
    assert cells.run(0, "pyspark", "a = {'x': [1, 2.5, None, float('nan')]}\n%json a") == {
        "application/json": {"x": [1, 2.5, None, None]}
    }


@pytest.mark.parametrize(
    ("code", "name", "message"),
    [
        ("%json nosuch", "NameError", "name 'nosuch' is not defined"),
        ("a = {1, 2}\n%json a", "TypeError", "cannot serialize"),
        ("%bogus x", "UnknownMagic", "unknown magic command 'bogus'"),
        ("%", "UnknownMagic", "magic command not specified"),
        ("a = [[1], ['x']]\n%table a", "TypeError", "table rows have different types"),
        ("a = [[object()]]\n%table a", "TypeError", "cannot show a object"),
        ("plt = 3\n%matplot plt", "TypeError", "pyplot"),
    ],
)
def test_magic_lines_that_fail(cells: PythonCells, code: str, name: str, message: str) -> None:
    with pytest.raises(CellError) as raised:
        cells.run(0, "pyspark", code)
    assert raised.value.ename == name
    assert message in str(raised.value)


def test_table(cells: PythonCells) -> None:
    cells.names["rows"] = [
        [1, "a", None, datetime.date(2026, 11, 21), decimal.Decimal("1.50")],
        [2, "b", True, datetime.date(2026, 11, 22), decimal.Decimal(2)],
    ]
    assert cells.run(0, "pyspark", "%table rows")[TABLE] == {
        "headers": [
            {"name": "0", "type": "INT_TYPE"},
            {"name": "1", "type": "STRING_TYPE"},
            {"name": "2", "type": "BOOLEAN_TYPE"},
            {"name": "3", "type": "DATE_TYPE"},
            {"name": "4", "type": "DECIMAL_TYPE"},
        ],
        "data": [[1, "a", None, "2026-11-21", "1.50"], [2, "b", True, "2026-11-22", "2"]],
    }


def test_a_table_of_dictionaries_has_their_names(cells: PythonCells) -> None:
    found = cells.run(0, "pyspark", "rows = [{'crop': 'rye'}, {'crop': 'oats', 'area': 2.5}]\n%table rows")[
        TABLE
    ]
    assert [header["name"] for header in found["headers"]] == ["area", "crop"]
    assert found["data"] == [[None, "rye"], [2.5, "oats"]]


def test_matplot(cells: PythonCells) -> None:
    class Plot:
        def __init__(self) -> None:
            self.closed: list[object] = []

        def gcf(self) -> "Plot":
            return self

        def savefig(self, target: io.BytesIO, format: str) -> None:  # noqa: A002 - pyplot's own name
            target.write(f"an image as {format}".encode())

        def close(self, figure: object) -> None:
            self.closed.append(figure)

    plot = cells.names["plt"] = Plot()
    found = cells.run(0, "pyspark", "%matplot plt")
    assert base64.b64decode(found["image/png"]) == b"an image as png"
    assert found["text/plain"] == ""
    assert plot.closed == [plot]


def test_code_around_magic_lines_keeps_its_line_numbers(cells: PythonCells) -> None:
    found = failure(cells, "a = 1\n%json a\n\nb = 1 / 0")
    assert '  File "<cell 3>", line 4' in "".join(found["traceback"])


def test_a_percent_sign_within_text_is_no_magic(
    cells: PythonCells, capsys: pytest.CaptureFixture[str]
) -> None:
    assert shown(cells, "x = '''\n%json a\n'''\nlen(x)", capsys) == "9\n"


def test_completion(cells: PythonCells) -> None:
    cells.run(0, "pyspark", "import math\nfurrow = 1\nfurrows = 2")
    assert cells.complete("pyspark", "1 + furr", 8) == ["furrow", "furrows"]
    assert cells.complete("pyspark", "math.sq", 7) == ["math.sqrt"]
    assert cells.complete("pyspark", "furrow + 1", 6) == ["furrow", "furrows"]
    assert cells.complete("pyspark", "1 + ", 4) == []


def test_what_cannot_be_cut_gives_an_error_that_says_so() -> None:
    found = limited(succeeded(1, {"application/json": ["x" * 5000]}), 1000)
    assert (found["status"], found["ename"]) == ("error", "OutputTooLarge")
    assert "1000 are allowed" in found["evalue"]
    small = succeeded(1, {"application/json": ["x" * 500]})
    assert limited(small, 1000) is small
