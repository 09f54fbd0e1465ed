"""Python cells: statements in one namespace, the last expression's value shown."""

import __future__

import ast
import builtins
import linecache
import re
import sys
import types
from typing import TYPE_CHECKING, Any

from headland.jobs.sessions.interpreter.magics import MAGIC, run_magic, split

if TYPE_CHECKING:
    from headland.jobs.sessions.interpreter.python_jobs import PythonJobs
    from headland.jobs.sessions.interpreter.spark import Application

_FEATURES = [getattr(__future__, name) for name in __future__.all_feature_names]


class PythonCells:
    """Runs cells in a module of their own, which is `__main__` for them and for what they pickle."""

    def __init__(self, application: "Application | None" = None) -> None:
        """`application` is what jobs of Livy's client library are given."""
        self._application = application
        self._jobs: PythonJobs | None = None
        module = types.ModuleType("__main__")
        module.__dict__["__builtins__"] = builtins
        sys.modules["__main__"] = module
        self.names: dict[str, Any] = module.__dict__
        self._flags = 0

    def run(self, number: int, _kind: str, code: str) -> dict[str, Any]:
        """What a cell shows besides what it prints: a value a media type.

        Raises:
            BaseException: whatever the code raises.
        """
        file = f"<cell {number}>"
        linecache.cache[file] = (len(code), None, code.splitlines(keepends=True), file)
        try:
            self._execute(self._parsed(code, file), file)
        except SyntaxError:
            parts = split(code)
            if not parts:
                raise
        else:
            return {}
        shown: dict[str, Any] = {}
        for text in parts:
            if (magic := MAGIC.match(text)) is not None:
                shown |= run_magic(magic[1] or "", magic[2].strip(), self.names)
            else:
                self._execute(self._parsed(text, file), file)
        return shown

    def complete(self, _kind: str, code: str, cursor: int) -> list[str]:
        """What the name that ends at `cursor` may go on as."""
        import rlcompleter  # noqa: PLC0415 - few ask

        # Backwards: an expression for an end would be tried from each letter on.
        found = re.match(r"[\w.]+", code[:cursor][::-1])
        if found is None:
            return []
        completer = rlcompleter.Completer(self.names)
        candidates: list[str] = []
        while (candidate := completer.complete(found[0][::-1], len(candidates))) is not None:
            candidates.append(candidate.rstrip("( "))
        return sorted(set(candidates))

    def job(self, serialized: bytes) -> bytes:
        if self._jobs is None:
            from headland.jobs.sessions.interpreter.python_jobs import PythonJobs  # noqa: PLC0415 - few have any

            self._jobs = PythonJobs(self._application)
        return self._jobs.run(serialized)

    def interrupt(self) -> bool:
        return False

    def _parsed(self, code: str, file: str) -> ast.Module:
        tree: ast.Module = compile(code, file, "exec", self._flags | ast.PyCF_ONLY_AST, dont_inherit=True)
        return tree

    def _execute(self, tree: ast.Module, file: str) -> None:
        last = tree.body[-1:] if tree.body and isinstance(tree.body[-1], ast.Expr) else []
        first = tree.body[: len(tree.body) - len(last)]
        if first:
            self._run(compile(ast.Module(first, []), file, "exec", self._flags, dont_inherit=True))
        if last:
            self._run(compile(ast.Interactive(last), file, "single", self._flags, dont_inherit=True))

    def _run(self, code: types.CodeType) -> None:
        for feature in _FEATURES:
            self._flags |= code.co_flags & feature.compiler_flag
        exec(code, self.names)  # noqa: S102 - this is what a session is for
