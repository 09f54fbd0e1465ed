"""Why did it fail? A sentence from what a program left in its output."""

import re
from collections.abc import Callable

from headland.jobs.batches.submission import Submission

#: Lines at the end of the output that are looked through.
LOOKED_AT = 400

#: Longest diagnosis, in characters: it becomes one line of the log and part of every list.
LONGEST = 2000

_CLASS_MISSING = re.compile(
    r"Error: Failed to load class (\S+?)\.?$|^\S*\s*java\.lang\.ClassNotFoundException: (\S+)"
)
_NO_MAIN = re.compile(r"NoSuchMethodException: (\S+)\.main\(|Main method not found in class (\S+)")
_UNCAUGHT = re.compile(r'^Exception in thread "[^"]*" (.+)$')
_CAUSE = re.compile(r"^Caused by: (.+)$")
_WRAPPER = "java.lang.reflect.InvocationTargetException"
_USER_EXCEPTION = re.compile(r"^(?:Caused by: )?([\w$]+(?:\.[\w$]+)+(?:Exception|Error)(?:: .*)?)$")
_SPARK_ERROR = re.compile(r"^Error: (.+)$")
#: What Python prints after the indented lines of a traceback: the exception's class, and what it says.
_PYTHON_ERROR = re.compile(r"^([^\W\d][\w.]*(?:: .*)?)$")
#: A program that is no Python at all never gets as far as a traceback.
_PYTHON_SYNTAX = re.compile(r"^((?:Syntax|Indentation|Tab)Error: .*)$")
_TRACEBACK = "Traceback (most recent call last):"
#: What py4j prints of Java's exception below its own, and what PySpark does that has made one of its own of it.
_JAVA_ERROR = re.compile(r"^: (.+)$")
_JVM_STACKTRACE = "JVM stacktrace:"
#: Of a Java exception that others follow, in characters.
_LONGEST_OUTER = 600
_OUT_OF_MEMORY = re.compile(r"java\.lang\.OutOfMemoryError(?:: (.*))?")


def diagnose(submission: Submission, exit_code: int | None, output: list[str]) -> str:
    """The cause, in one line. `output` holds the last lines of what the program wrote."""
    lines = [line.rstrip() for line in output[-LOOKED_AT:]]
    for look in (
        _missing_class(submission),
        _missing_main,
        out_of_memory,
        _python(submission),
        _exception,
        _startup,
    ):
        if found := look(lines):
            return found[:LONGEST]
    code = "no exit code" if exit_code is None else f"exit code {exit_code}"
    return f"The application ended with {code} and did not say why."


def _missing_class(submission: Submission) -> Callable[[list[str]], str | None]:
    def look(lines: list[str]) -> str | None:
        for match in filter(None, map(_CLASS_MISSING.search, lines)):
            if (match[1] or match[2]) == submission.class_name:
                return f"The entry class '{submission.class_name}' is not in the application archive {submission.file}."
        return None

    return look


def _missing_main(lines: list[str]) -> str | None:
    found = _first(_NO_MAIN, lines)
    return (
        f"The entry class '{found[1] or found[2]}' has no main method that takes arguments."
        if found
        else None
    )


def out_of_memory(lines: list[str]) -> str | None:
    """That the driver had too little memory, if the last lines of its output say so."""
    found = _first(_OUT_OF_MEMORY, lines)
    if not found:
        return None
    return f"The driver ran out of memory ({found[1] or 'java.lang.OutOfMemoryError'}); ask for more with driverMemory."


def _python(submission: Submission) -> Callable[[list[str]], str | None]:
    def look(lines: list[str]) -> str | None:
        if not submission.python:
            return None
        last = max((index for index, line in enumerate(lines) if line == _TRACEBACK), default=None)
        found = _first(_PYTHON_SYNTAX, lines) if last is None else _first(_PYTHON_ERROR, lines[last + 1 :])
        if found is None:
            return None
        return f"The program raised {found[1]}{_java(found[1], lines[lines.index(found.string) + 1 :])}"

    return look


def _java(raised: str, below: list[str]) -> str:
    """What Java threw, where that is what a Python exception comes from; "" where `raised` says it all."""
    thrown = next(filter(None, map(_JAVA_ERROR.search, below[:1])), None)
    if thrown is None and _JVM_STACKTRACE not in below:
        return ""
    causes = [index for index, line in enumerate(below) if _CAUSE.search(line)]
    cause = _with_worker(below, causes[-1]).removeprefix("Caused by: ") if causes else ""
    if thrown is None:
        return f", caused by {cause}" if cause and cause not in raised else ""
    outer = _with_worker(below, 0).removeprefix(": ")
    if not cause or cause == outer:
        return f" Java threw {outer}"
    # A job's failure has its task's in it, behind much that helps nobody.
    return f" Java threw {cause if cause in outer else f'{outer[:_LONGEST_OUTER]}, caused by {cause}'}"


def _with_worker(lines: list[str], index: int) -> str:
    """A line; one that ends where a Python worker's traceback begins has what that ends with in its place."""
    line = lines[index]
    if not line.endswith(_TRACEBACK):
        return line
    raised = _first(_PYTHON_ERROR, lines[index + 1 :])
    return line.removesuffix(_TRACEBACK) + raised[1] if raised else line


def _exception(lines: list[str]) -> str | None:
    found = _first(_UNCAUGHT, lines)
    if found and found[1].startswith(_WRAPPER):
        # On a worker, a driver's main method is called by reflection.
        found = next(filter(None, map(_CAUSE.search, lines[lines.index(found.string) :])), found)
    if found:
        return f"The application threw {found[1]}"
    found = _first(_USER_EXCEPTION, lines)
    return f"The application threw {found[1]}" if found else None


def _startup(lines: list[str]) -> str | None:
    for index, line in enumerate(lines):
        if line == "Error occurred during initialization of VM":
            return f"Java did not start: {' '.join(lines[index + 1 : index + 2])}"
        if line == "Error: Could not create the Java Virtual Machine.":
            return f"Java did not start: {' '.join(lines[max(0, index - 1) : index]) or line}"
    found = _first(_SPARK_ERROR, lines)
    return f"Spark refused it: {found[1]}" if found else None


def _first(pattern: re.Pattern[str], lines: list[str]) -> re.Match[str] | None:
    return next(filter(None, map(pattern.search, lines)), None)
