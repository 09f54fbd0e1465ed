"""Scala code is taken apart where a class is defined, and nowhere else."""

import pytest

from headland.jobs.sessions.interpreter.scala_cells import is_empty, pieces


@pytest.mark.parametrize(
    "parts",
    [
        ["val a = 1\nval b = 2\n"],
        ["case class P(a: Int)\n", "val p = P(1)\np.a"],
        ["case class P(a: Int)\nobject P {\n  val one = P(1)\n}\n", "P.one"],
        ["val a = 1\n", "sealed trait T\nfinal case class C() extends T\n", "C()\n"],
        ["class A {\n  val x = 1\n}\n", "new A"],
        ["if (true) {\n  1\n}\nelse {\n  2\n}\n"],
        ["spark.range(3)\n  .count()"],
        ["val classes = 3\nobjects + 1"],
        ["@deprecated class Old\n", "1"],
        [""],
    ],
)
def test_pieces(parts: list[str]) -> None:
    assert pieces("".join(parts)) == parts


@pytest.mark.parametrize(
    ("code", "empty"),
    [
        ("", True),
        (" \n\t", True),
        ("// a /* b\n", True),
        ("/* a /* b */ c */ // d", True),
        ("/* a // */", True),
        ("/* a", False),
        ("/* a */ 1", False),
        ("// a\n1", False),
        ("*/", False),
        ('"// a"', False),
    ],
)
def test_cells_with_nothing_but_comments(code: str, empty: bool) -> None:
    assert is_empty(code) is empty
