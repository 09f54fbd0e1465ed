"""Scala cells: Spark's own Scala interpreter in the driver's JVM, class by class as Spark's shell has it."""

import json
import re
from typing import Any

from py4j.protocol import Py4JJavaError  # type: ignore[import-untyped]

from headland.jobs.sessions.interpreter.capture import cut
from headland.jobs.sessions.interpreter.magics import MAGIC, CellError, run_magic, split
from headland.jobs.sessions.interpreter.spark import Application

#: What cells find defined, as in Spark's shell.
_BEGINNING = (
    """
    @transient val spark = org.apache.spark.sql.SparkSession.builder().getOrCreate()
    @transient val sc = spark.sparkContext
    """,
    """
    import org.apache.spark.SparkContext._
    import spark.implicits._
    import spark.sql
    import org.apache.spark.sql.functions._
    """,
)

#: Items that `%json` and `%table` show of a distributed collection, as Livy.
_ITEMS = 10


#: A line that begins a definition at the top level, and one that begins anything else there.
_DEFINES = re.compile(
    r"(?:@[\w.]+\s+)*(?:(?:sealed|abstract|final|case|implicit|private|protected)\s+)*(?:class|trait|object)\b"
)
_BEGINS = re.compile(r"(?!(?:else|catch|finally|yield|extends|with|match)\b)[\w@`\"(\[{]")


#: A member of a tuple that Scala compiles in a way of its own.
_SPECIALIZED = re.compile(r"^(_[12])\$mc[A-Z]\$sp$")


class IncompleteError(CellError):
    """Code that goes on."""

    def __init__(self) -> None:
        super().__init__("Error", "incomplete statement")


class ScalaCells:
    """Runs cells on the JVM thread that belongs to this thread."""

    def __init__(self, application: Application, classes: str, limit: int) -> None:
        """`classes` is the folder from which executors fetch what cells define; `limit` counts bytes of output."""
        self._jvm = application.jvm
        self._limit = limit
        self._printed = self._jvm.java.io.ByteArrayOutputStream()
        printer = self._jvm.java.io.PrintStream(self._printed, True, "UTF-8")
        self._thread = self._jvm.java.lang.Thread.currentThread()
        compiler = self._jvm.scala.tools.nsc
        settings = compiler.Settings()
        self._application = application
        urls = application.loader.getURLs()
        #: Of the driver's archives, how many the compiler knows.
        self._known = len(urls)
        paths = ":".join(self._jvm.java.io.File(url.toURI()).getPath() for url in urls)
        class_path = f' -classpath "{paths}"' if paths else ""
        # Clients fetch data by having it printed, and leave out parentheses: a word about that would stand in the data.
        options = "-Yrepl-class-based -Wconf:cat=deprecation:s"
        settings.processArgumentString(f'{options} -Yrepl-outdir "{classes}"{class_path}')
        settings.usejavacp().tryToSetFromPropertyValue("true")
        writer = self._jvm.java.io.PrintWriter(printer, True)
        reporter = compiler.interpreter.shell.ReplReporterImpl(settings, writer)
        loader = self._jvm.scala.Option.apply(self._thread.getContextClassLoader())
        self._main = compiler.interpreter.IMain(settings, loader, settings, reporter)
        # What Scala prints is this thread's affair; what Java prints goes to the session's log.
        getattr(getattr(self._jvm.scala, "Console$"), "MODULE$").setOutDirect(printer)
        getattr(getattr(self._jvm.scala, "Console$"), "MODULE$").setErrDirect(printer)
        for code in _BEGINNING:
            self._interpret(code)
        self._thread.setContextClassLoader(self._main.classLoader())

    def run(self, code: str) -> dict[str, Any]:
        """What a cell shows.

        Raises:
            CellError: it can't be compiled, or it threw.
        """
        self._learn()
        text = ""
        shown: dict[str, Any] = {}
        for part in split(code) or [code]:
            if (magic := MAGIC.match(part)) is not None:
                shown |= self._magic(magic[1] or "", magic[2].strip())
            elif not is_empty(part):
                text += self._run_part(part)
        # With anything else to show, Livy shows that alone, and clients count on it.
        return shown or {"text/plain": cut(text, self._limit)}

    def complete(self, code: str, cursor: int) -> list[str]:
        """What can stand at `cursor`."""
        shell = self._jvm.scala.tools.nsc.interpreter.shell
        completion = shell.ReplCompletion(self._main, shell.Accumulator())
        found = completion.complete(code, cursor, True)
        names = self._jvm.scala.jdk.javaapi.CollectionConverters.asJava(found.candidates())
        return sorted({str(each.name()) for each in names if str(each.name())})

    def interrupt(self) -> None:
        """Interrupt the thread that runs the cell: code that waits or asks whether it is interrupted ends."""
        self._thread.interrupt()

    def _learn(self) -> None:
        """Have the compiler know the archives that the application was given since."""
        urls = self._application.loader.getURLs()
        if len(urls) > self._known:
            new = self._jvm.java.util.ArrayList()
            for url in urls[self._known :]:
                new.add(url)
            self._known = len(urls)
            self._main.addUrlsToClassPath(
                self._jvm.scala.jdk.javaapi.CollectionConverters.asScala(new).toSeq()
            )

    def _run_part(self, code: str) -> str:
        text, begun = "", ""
        for piece in pieces(code):
            begun += piece
            try:
                text += self._interpret(begun)
            except IncompleteError:
                continue  # what looked like a statement of its own is none
            begun = ""
        if begun:
            raise IncompleteError
        return text

    def _interpret(self, code: str) -> str:
        """What was printed, by the code and about its values."""
        self._printed.reset()
        result = self._main.interpret(code).toString()
        printed = str(self._printed.toString("UTF-8"))
        if result == "Success":
            return printed
        if result == "Incomplete":
            raise IncompleteError
        lines = printed.splitlines(keepends=True)
        told = [line.strip() for line in lines if line.strip(" ^\n")]
        said = next((line for line in told if "error:" in line), told[0] if told else "")
        raise CellError("Error", said, lines)

    def _magic(self, name: str, rest: str) -> dict[str, Any]:
        if name not in {"json", "table"}:
            return run_magic(name if name != "matplot" else "matplot in Scala", rest, {})
        return run_magic(name, rest, {rest: self._value(rest)}, whole_numbers="BIGINT_TYPE")

    def _value(self, expression: str) -> Any:
        """The value of an expression, as JSON has it."""
        try:
            self._interpret(f"val headlandShown: Any = {{ {expression} }}")
        except CellError:
            raise CellError("NameError", f"Value {expression} does not exist") from None
        result = (
            self._main.lastRequest()
            .lineRep()
            .call(
                "$result",
                self._jvm.scala.jdk.javaapi.CollectionConverters.asScala(
                    self._jvm.java.util.ArrayList()
                ).toSeq(),
            )
        )
        take = getattr(result, "take", None)
        if take is not None and "org.apache.spark" in str(result.getClass().getName()):
            result = take(_ITEMS)
        # With what Livy shows values: a tuple is an object with the members `_1`, `_2`.
        json4s = self._jvm.org.json4s
        formats = getattr(getattr(json4s, "DefaultFormats$"), "MODULE$")
        methods = getattr(getattr(json4s.jackson, "JsonMethods$"), "MODULE$")
        try:
            value = json4s.Extraction.decompose(result, formats)
            rendered = methods.compact(methods.render(value, False, getattr(methods, "render$default$3")()))
        except Py4JJavaError:
            raise CellError("ValueError", "Failed to convert value into a JSON value") from None
        return json.loads(rendered, object_pairs_hook=_named)


def _named(members: list[tuple[str, Any]]) -> dict[str, Any]:
    """An object, with the members of a tuple of bare numbers under the names that any tuple has."""
    return {_SPECIALIZED.sub(r"\1", name): value for name, value in members}


def pieces(code: str) -> list[str]:
    """Code in parts that are compiled one by one: definitions of classes apart from what may use them. Spark can't
    make an object of a class whose own part is still being run.
    """
    found = [""]
    defining: bool | None = None
    for line in code.splitlines(keepends=True):
        if _BEGINS.match(line):
            defines = _DEFINES.match(line) is not None
            if defining is not None and defines != defining:
                found.append("")
            defining = defines
        found[-1] += line
    return found


def is_empty(code: str) -> bool:
    """Whether there is nothing but comments."""
    depth = position = 0
    while position < len(code):
        here = code[position : position + 2]
        if here == "/*":
            depth, position = depth + 1, position + 2
        elif here == "*/" and depth:
            depth, position = depth - 1, position + 2
        elif here == "//" and not depth:
            end = code.find("\n", position)
            position = len(code) if end < 0 else end
        elif depth or code[position].isspace():
            position += 1
        else:
            return False
    return not depth
