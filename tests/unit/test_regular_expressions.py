"""Regular expressions take time in proportion to what they are held against, whoever wrote that.

Each one that stands in the source is found there and attacked: whatever it repeats is repeated thousands of times,
with something behind that it can't take. A new one is found as well; one that is put together at run time has to be
named here, with what it becomes.
"""

import ast
import re
import time
from collections.abc import Callable, Iterator
from itertools import product
from pathlib import Path
from re import _constants as words  # type: ignore[attr-defined]
from re import _parser as parser  # type: ignore[attr-defined]
from typing import Any, NamedTuple

import pytest

import headland

_ROOT = Path(headland.__file__).parent

_FUNCTIONS = frozenset(
    {"compile", "match", "fullmatch", "search", "sub", "subn", "split", "findall", "finditer"}
)

#: Those that begin anywhere in a text.
_ANYWHERE = frozenset({"search", "sub", "subn", "split", "findall", "finditer"})

#: How often something is repeated, and the processor's seconds that no text of so many may take: what is linear needs
#: a tenth of that, and what is quadratic several times as much. Small numbers come first, so that a bad one is soon
#: found bad.
_LADDER = (25, 500, 8_000)
_CEILING = 0.02

_TAILS = ("", "!", "\n")


class Pattern(NamedTuple):
    """One that stands in the source."""

    where: str
    text: str | bytes
    flags: int
    anywhere: bool


#: Put together at run time: what they become of the longest that is put in, or of something like it.
MADE = {
    "control/guarding.py": [r".*/providers/Microsoft\.AgFoodPlatform/(.*)"],
    "control/roles.py": [r"Microsoft\.AgFoodPlatform/farmBeats/deletionJobs/.*/write", r".*/search/action"],
    "control/scopes.py": [
        r"/subscriptions/([^/]+)(/resourceGroups/([^/]+)(/providers/Microsoft\.AgFoodPlatform/farmBeats/([^/]+))?)?"
    ],
    "farm/documents/documents.py": [r"[A-Za-z0-9][A-Za-z0-9_~.\-]{0,48}[A-Za-z0-9]"],
    # Paths of operations: `test_paths_of_operations` has all of them.
    "http/operations.py": [],
    "http/listener.py": [r"(/livy|/farm|/identity)/"],
    "portal/pages/sessions.py": [r"executorMemory\b"],
    "jobs/clusters/standalone.py": [r'"-Dheadland\.run=([^"]*)"'],
}


def _calls() -> Iterator[tuple[Path, ast.Call, str, ast.Module]]:
    for file in sorted(_ROOT.rglob("*.py")):
        tree = ast.parse(file.read_text())
        for node in ast.walk(tree):
            if not isinstance(node, ast.Call):
                continue
            called = node.func
            if (
                isinstance(called, ast.Attribute)
                and isinstance(called.value, ast.Name)
                and called.value.id == "re"
            ):
                if called.attr in _FUNCTIONS:
                    yield file, node, called.attr, tree
            elif any(keyword.arg == "pattern" for keyword in node.keywords):
                yield file, node, "search", tree


def _found() -> Iterator[Pattern | str]:
    """Each pattern; of those that are put together, the file."""
    for file, node, function, tree in _calls():
        name = str(file.relative_to(_ROOT))
        given = next(
            (k.value for k in node.keywords if k.arg == "pattern"), node.args[0] if node.args else None
        )
        if not isinstance(given, ast.Constant):
            yield name
            continue
        flags = next((k.value for k in node.keywords if k.arg == "flags"), None)
        if flags is None and function in {"compile", "match", "fullmatch", "search"}:
            place = 1 if function == "compile" else 2
            flags = node.args[place] if len(node.args) > place else None
        value = 0 if flags is None else eval(ast.unparse(flags), {"re": re})  # noqa: S307 - our own source
        anywhere = function in _ANYWHERE or (function == "compile" and _is_used_anywhere(node, tree))
        yield Pattern(f"{name}:{node.lineno}", given.value, int(value), anywhere)


def _is_used_anywhere(node: ast.Call, tree: ast.Module) -> bool:
    """Whether it is searched for, as far as can be seen; what is handed on might be."""
    target = next(
        (
            each.targets[0] if isinstance(each, ast.Assign) else each.target
            for each in ast.walk(tree)
            if isinstance(each, ast.Assign | ast.AnnAssign) and each.value is node
        ),
        None,
    )
    if not isinstance(target, ast.Name):
        return True
    used = [each for each in ast.walk(tree) if isinstance(each, ast.Attribute)]
    own = [each.attr for each in used if isinstance(each.value, ast.Name) and each.value.id == target.id]
    loads = [
        each
        for each in ast.walk(tree)
        if isinstance(each, ast.Name) and each.id == target.id and isinstance(each.ctx, ast.Load)
    ]
    return len(loads) != len(own) or not loads or bool(_ANYWHERE.intersection(own))


FOUND = list(_found())
PATTERNS = [each for each in FOUND if isinstance(each, Pattern)]


def _least(tree: Any) -> str:
    """A text that it takes."""
    return "".join(_item(op, value) for op, value in tree)


def _item(op: Any, value: Any) -> str:  # noqa: PLR0911 - a case each
    match op:
        case words.LITERAL:
            return chr(value)
        case words.NOT_LITERAL:
            return "a" if value != ord("a") else "b"
        case words.ANY:
            return "a"
        case words.IN:
            return _one_of(value)
        case words.MAX_REPEAT | words.MIN_REPEAT | words.POSSESSIVE_REPEAT:
            low, _, body = value
            return _least(body) * low
        case words.SUBPATTERN:
            return _least(value[-1])
        case words.ATOMIC_GROUP:
            return _least(value)
        case words.BRANCH:
            return _least(value[1][0])
    return ""


def _one_of(items: Any) -> str:
    for candidate in ["a", "0", " ", "-", ".", "/", "A", "_", ",", *map(chr, range(33, 127)), "\n", "é"]:
        if _is_in(items, candidate):
            return candidate
    raise AssertionError(items)


def _is_in(items: Any, letter: str) -> bool:
    negated, found = False, False
    categories = {
        words.CATEGORY_DIGIT: str.isdigit,
        words.CATEGORY_NOT_DIGIT: lambda c: not c.isdigit(),
        words.CATEGORY_SPACE: str.isspace,
        words.CATEGORY_NOT_SPACE: lambda c: not c.isspace(),
        words.CATEGORY_WORD: lambda c: c.isalnum() or c == "_",
        words.CATEGORY_NOT_WORD: lambda c: not (c.isalnum() or c == "_"),
    }
    for op, value in items:
        if op is words.NEGATE:
            negated = True
        elif op is words.LITERAL:
            found |= value == ord(letter)
        elif op is words.RANGE:
            found |= value[0] <= ord(letter) <= value[1]
        elif op is words.CATEGORY:
            found |= categories[value](letter)
    return found != negated


def _pumps(tree: Any, before: str = "") -> Iterator[tuple[str, str]]:
    """Beginnings, and what may come behind them any number of times."""
    for op, value in tree:
        if op in {words.MAX_REPEAT, words.MIN_REPEAT, words.POSSESSIVE_REPEAT}:
            _, most, body = value
            if most > 1:
                unit = _least(body) or "a"
                yield before, unit
                yield before, unit + _least(body)[:1]
            yield from _pumps(body, before)
        elif op is words.SUBPATTERN:
            yield from _pumps(value[-1], before)
        elif op is words.ATOMIC_GROUP:
            yield from _pumps(value, before)
        elif op is words.BRANCH:
            for branch in value[1]:
                yield from _pumps(branch, before)
        before += _item(op, value)
        if before:
            # All that comes before, again and again: for those that may begin anywhere.
            yield "", before


def _attacks(pattern: Pattern) -> set[tuple[str, str]]:
    text = pattern.text.decode("latin-1") if isinstance(pattern.text, bytes) else pattern.text
    tree = parser.parse(text, pattern.flags)
    return {*_pumps(tree), ("", " "), ("", "a"), ("", "/"), ("", "a "), ("", '"')}


def _slowest(pattern: Pattern) -> tuple[float, int, str, str]:
    """Seconds, of so many times a text behind another: the slowest, or the first that is too slow."""
    compiled = re.compile(pattern.text, pattern.flags)
    methods = [compiled.fullmatch, compiled.match, *([_all_of(compiled)] if pattern.anywhere else [])]
    slowest = (0.0, 0, "", "")
    for count, (before, unit), tail in product(_LADDER, sorted(_attacks(pattern)), _TAILS):
        text: Any = before + unit * (count // len(unit) + 1) + tail
        if isinstance(pattern.text, bytes):
            text = text.encode("latin-1", "replace")
        for method in methods:
            slowest = max(slowest, (_seconds(method, text), count, before[:40], unit[:40]))
            if slowest[0] > _CEILING:
                return slowest
    return slowest


def _seconds(method: Callable[[Any], object], text: Any) -> float:
    """The processor's; the best of three where others may have been in the way."""
    best = float("inf")
    for _ in range(3):
        began = time.thread_time()
        method(text)
        best = min(best, time.thread_time() - began)
        if best <= _CEILING or best > 10 * _CEILING:
            break
    return best


def _all_of(compiled: re.Pattern[Any]) -> Any:
    return lambda text: sum(1 for _ in compiled.finditer(text))


@pytest.mark.parametrize("pattern", PATTERNS, ids=lambda pattern: pattern.where)
def test_takes_time_in_proportion(pattern: Pattern) -> None:
    seconds, count, before, unit = _slowest(pattern)
    assert seconds < _CEILING, (
        f"{pattern.text!r}: {seconds:.2f} s for {before!r} and {count} characters of {unit!r}"
    )


def test_those_made_at_run_time_are_named() -> None:
    assert {each for each in FOUND if isinstance(each, str)} == MADE.keys()


@pytest.mark.parametrize(
    ("where", "text"), [(where, text) for where, texts in MADE.items() for text in texts]
)
def test_made_at_run_time(where: str, text: str) -> None:
    test_takes_time_in_proportion(Pattern(where, text, re.IGNORECASE | re.DOTALL, anywhere=False))


@pytest.mark.parametrize("text", [r"(a+)+$", r"\s+$", r"\s*(.*?)\s+eq\s+(.*?)\s*", "<([a-z]+)>.*?</\\1>"])
def test_a_bad_one_is_found_bad(text: str) -> None:
    assert _slowest(Pattern("", text, re.DOTALL, anywhere=True))[0] > _CEILING
