"""Why did it fail? From output as Spark, the JVM and Python print it."""

import pytest

from headland.jobs.batches.submission import Submission
from headland.jobs.controller.diagnosis import LONGEST, LOOKED_AT, diagnose

JAR = Submission(file="wasbs:///app.jar", class_name="demo.Harvest")
PROGRAM = Submission(file="wasbs:///app.py")

NOISE = """\
WARNING: Using incubator modules: jdk.incubator.vector
Using Spark's default log4j profile: org/apache/spark/log4j2-defaults.properties
26/09/30 10:00:00 WARN NativeCodeLoader: Unable to load native-hadoop library for your platform... \
using builtin-java classes where applicable
26/09/30 10:00:01 INFO SparkContext: Running Spark version 4.3.0
"""
FAREWELL = """\
26/09/30 10:00:09 INFO ShutdownHookManager: Shutdown hook called
26/09/30 10:00:09 INFO ShutdownHookManager: Deleting directory /tmp/spark-1c1d8a63
"""

MISSING_CLASS = "Error: Failed to load class demo.Harvest."
MISSING_MAIN = """\
Exception in thread "main" java.lang.NoSuchMethodException: demo.Harvest.main([Ljava.lang.String;)
\tat java.base/java.lang.Class.getMethod(Class.java:2202)
\tat org.apache.spark.deploy.JavaMainApplication.start(SparkApplication.scala:42)
\tat org.apache.spark.deploy.SparkSubmit.main(SparkSubmit.scala)
"""
UNCAUGHT = """\
Exception in thread "main" java.lang.IllegalStateException: no field has been sown
\tat demo.Harvest$.main(Harvest.scala:12)
\tat demo.Harvest.main(Harvest.scala)
Caused by: java.io.IOException: the drill is empty
\tat demo.Drill.sow(Drill.scala:3)
\t... 2 more
"""
STAGE_FAILURE = """\
26/09/30 10:00:05 ERROR Executor: Exception in task 0.0 in stage 0.0 (TID 0)
java.lang.ArithmeticException: / by zero
\tat demo.Harvest$.$anonfun$main$1(Harvest.scala:9)
26/09/30 10:00:05 ERROR TaskSetManager: Task 0 in stage 0.0 failed 1 times; aborting job
Exception in thread "main" org.apache.spark.SparkException: Job aborted due to stage failure: Task 0 in \
stage 0.0 failed 1 times, most recent failure: Lost task 0.0 in stage 0.0 (TID 0) (localhost executor driver): \
java.lang.ArithmeticException: / by zero
\tat demo.Harvest$.$anonfun$main$1(Harvest.scala:9)

Driver stacktrace:
\tat org.apache.spark.scheduler.DAGScheduler.abortStage(DAGScheduler.scala:2984)
Caused by: java.lang.ArithmeticException: / by zero
"""
HEAP = """\
26/09/30 10:00:05 ERROR SparkUncaughtExceptionHandler: Uncaught exception in thread Thread[main,5,main]
java.lang.OutOfMemoryError: Java heap space
\tat demo.Harvest$.main(Harvest.scala:7)
"""
TRACEBACK = """\
Traceback (most recent call last):
  File "/home/batches/0/staged/0/app.py", line 12, in <module>
    main()
    ~~~~^^
  File "/home/batches/0/staged/0/app.py", line 8, in main
    raise ValueError("no field has been sown")
ValueError: no field has been sown
"""
CHAINED = """\
Traceback (most recent call last):
  File "/home/app.py", line 3, in <module>
    sow()
KeyError: 'drill'

During handling of the above exception, another exception occurred:

Traceback (most recent call last):
  File "/home/app.py", line 5, in <module>
    raise RuntimeError("sowing failed")
RuntimeError: sowing failed
"""
OWN_CLASS = """\
Traceback (most recent call last):
  File "/home/app.py", line 5, in <module>
    raise Drought("no rain", 3)
farm.weather.Drought: ('no rain', 3)
"""
WITHOUT_TEXT = """\
Traceback (most recent call last):
  File "/home/app.py", line 5, in <module>
    raise Drought
Drought
"""
ANALYSIS = """\
Traceback (most recent call last):
  File "/home/app.py", line 4, in <module>
    spark.table("fields").show()
  File "/site/pyspark/errors/exceptions/captured.py", line 269, in deco
    raise converted from None
pyspark.errors.exceptions.captured.AnalysisException: [TABLE_OR_VIEW_NOT_FOUND] The table or view `fields` \
cannot be found. Verify the spelling and correctness of the schema and catalog.
'UnresolvedRelation [fields], [], false
"""
PY4J = """\
Traceback (most recent call last):
  File "/home/app.py", line 4, in <module>
    rdd.count()
py4j.protocol.Py4JJavaError: An error occurred while calling z:org.apache.spark.api.python.PythonRDD.collectAndServe.
: org.apache.spark.SparkException: Job aborted due to stage failure: Task 1 in stage 0.0 failed 1 times
"""
#: As PySpark 4.1 prints it, shortened: the task's failure is told three times.
PY4J_TASK = """\
Traceback (most recent call last):
  File "/home/app.py", line 9, in <module>
    spark.range(3).write.csv("/proc/fields")
  File "/site/py4j/protocol.py", line 327, in get_return_value
    raise Py4JJavaError(
py4j.protocol.Py4JJavaError: An error occurred while calling o30.csv.
: org.apache.spark.SparkException: Job aborted due to stage failure: Task 0 in stage 0.0 failed 1 times, most recent \
failure: Lost task 0.0 in stage 0.0 (TID 0) (10.0.0.4 executor driver): java.io.IOException: Mkdirs failed to create \
file:/proc/fields
\tat org.apache.hadoop.fs.ChecksumFileSystem.create(ChecksumFileSystem.java:556)

Driver stacktrace:
\tat org.apache.spark.scheduler.DAGScheduler.abortStage(DAGScheduler.scala:2984)
\tat java.base/java.lang.Thread.run(Thread.java:840)
Caused by: java.io.IOException: Mkdirs failed to create file:/proc/fields
\tat org.apache.hadoop.fs.ChecksumFileSystem.create(ChecksumFileSystem.java:556)
\t... 1 more

"""
PY4J_CAUSE = """\
Traceback (most recent call last):
  File "/home/app.py", line 3, in <module>
    spark.read.format("harvester").load()
py4j.protocol.Py4JJavaError: An error occurred while calling o31.load.
: org.apache.spark.SparkClassNotFoundException: [DATA_SOURCE_NOT_FOUND] Failed to find the data source: harvester.
\tat org.apache.spark.sql.errors.QueryExecutionErrors$.dataSourceNotFoundError(QueryExecutionErrors.scala:722)
Caused by: java.io.IOException: the index is old
\tat demo.Index.read(Index.scala:3)
Caused by: java.lang.ClassNotFoundException: harvester.DefaultSource
\tat java.base/java.net.URLClassLoader.findClass(URLClassLoader.java:445)
\t... 20 more
"""
PY4J_WORKER = """\
Traceback (most recent call last):
  File "/home/app.py", line 4, in <module>
    rdd.saveAsTextFile("/fields")
py4j.protocol.Py4JJavaError: An error occurred while calling o40.saveAsTextFile.
: org.apache.spark.SparkException: Job aborted.
\tat org.apache.spark.internal.io.SparkHadoopWriter$.write(SparkHadoopWriter.scala:106)
Caused by: org.apache.spark.api.python.PythonException: Traceback (most recent call last):
  File "/spark/python/pyspark/worker.py", line 1247, in main
    process()
ZeroDivisionError: division by zero

\tat org.apache.spark.api.python.BasePythonRunner$ReaderIterator.handlePythonException(PythonRunner.scala:572)
"""
CAPTURED = """\
Traceback (most recent call last):
  File "/home/app.py", line 4, in <module>
    spark.sql("select * from fields").show()
pyspark.errors.exceptions.captured.StreamingQueryException: [STREAM_FAILED] Query terminated. SQLSTATE: XXKST
== SQL (line 1, position 8) ==
select * from fields

JVM stacktrace:
org.apache.spark.sql.streaming.StreamingQueryException: [STREAM_FAILED] Query terminated. SQLSTATE: XXKST
\tat org.apache.spark.sql.execution.streaming.StreamExecution.run(StreamExecution.scala:372)
Caused by: java.io.FileNotFoundException: /fields/part-0 is gone
\tat java.base/java.io.FileInputStream.open0(Native Method)
"""
INTERLEAVED = """\
Traceback (most recent call last):
  File "/home/app.py", line 4, in <module>
26/09/30 10:00:05 INFO SparkContext: Invoking stop() from shutdown hook
    rdd.count()
TypeError: unsupported operand type(s) for +: 'int' and 'str'
"""
SYNTAX = """\
  File "/home/batches/0/staged/0/app.py", line 3
    def sow(:
            ^
SyntaxError: invalid syntax
"""
INDENTATION = """\
  File "/home/app.py", line 3
    sow()
IndentationError: unexpected indent
"""
MODULE = """\
Traceback (most recent call last):
  File "/home/app.py", line 1, in <module>
    import tractor
ModuleNotFoundError: No module named 'tractor'
"""

TEXTS = {
    "entry class missing": (
        JAR,
        MISSING_CLASS,
        "The entry class 'demo.Harvest' is not in the application archive wasbs:///app.jar.",
    ),
    "entry class missing, by exception": (
        JAR,
        "java.lang.ClassNotFoundException: demo.Harvest\n\tat java.base/java.net.URLClassLoader.findClass",
        "The entry class 'demo.Harvest' is not in the application archive wasbs:///app.jar.",
    ),
    "another class missing": (
        JAR,
        'Exception in thread "main" java.lang.ClassNotFoundException: demo.Tractor\n\tat java.base/java.net',
        "The application threw java.lang.ClassNotFoundException: demo.Tractor",
    ),
    "no main method": (
        JAR,
        MISSING_MAIN,
        "The entry class 'demo.Harvest' has no main method that takes arguments.",
    ),
    "uncaught exception": (
        JAR,
        UNCAUGHT,
        "The application threw java.lang.IllegalStateException: no field has been sown",
    ),
    "job aborted": (
        JAR,
        STAGE_FAILURE,
        (
            "The application threw org.apache.spark.SparkException: Job aborted due to stage failure: Task 0 in "
            "stage 0.0 failed 1 times, most recent failure: Lost task 0.0 in stage 0.0 (TID 0) (localhost executor "
            "driver): java.lang.ArithmeticException: / by zero"
        ),
    ),
    "exception that was logged": (
        JAR,
        "26/09/30 10:00:05 ERROR Harvest: failed\norg.example.HarvestException: no field\n\tat demo.Harvest.main",
        "The application threw org.example.HarvestException: no field",
    ),
    "heap too small": (
        JAR,
        HEAP,
        "The driver ran out of memory (Java heap space); ask for more with driverMemory.",
    ),
    "heap too small, uncaught": (
        JAR,
        'Exception in thread "main" java.lang.OutOfMemoryError: GC overhead limit exceeded',
        "The driver ran out of memory (GC overhead limit exceeded); ask for more with driverMemory.",
    ),
    "out of memory and no more": (
        JAR,
        "java.lang.OutOfMemoryError",
        "The driver ran out of memory (java.lang.OutOfMemoryError); ask for more with driverMemory.",
    ),
    "Spark's own refusal": (
        JAR,
        "Error: No main class set in JAR; please specify one with --class.\nRun with --help for usage help",
        "Spark refused it: No main class set in JAR; please specify one with --class.",
    ),
    "heap larger than the machine": (
        JAR,
        "Error occurred during initialization of VM\nCould not reserve enough space for 10485758951424 KB object heap",
        "Java did not start: Could not reserve enough space for 10485758951424 KB object heap",
    ),
    "heap too small for Java": (
        JAR,
        "Error occurred during initialization of VM\nToo small maximum heap",
        "Java did not start: Too small maximum heap",
    ),
    "memory that is none": (
        JAR,
        (
            "Invalid maximum heap size: -Xmx2p\nError: Could not create the Java Virtual Machine.\n"
            "Error: A fatal exception has occurred. Program will exit."
        ),
        "Java did not start: Invalid maximum heap size: -Xmx2p",
    ),
    "unknown Java option": (
        JAR,
        (
            "Unrecognized option: --bogus\nError: Could not create the Java Virtual Machine.\n"
            "Error: A fatal exception has occurred. Program will exit."
        ),
        "Java did not start: Unrecognized option: --bogus",
    ),
    "Python exception": (PROGRAM, TRACEBACK, "The program raised ValueError: no field has been sown"),
    "Python, the last of a chain": (PROGRAM, CHAINED, "The program raised RuntimeError: sowing failed"),
    "Python, a class of its own": (
        PROGRAM,
        OWN_CLASS,
        "The program raised farm.weather.Drought: ('no rain', 3)",
    ),
    "Python, no text": (PROGRAM, WITHOUT_TEXT, "The program raised Drought"),
    "Python, Spark's exception": (
        PROGRAM,
        ANALYSIS,
        (
            "The program raised pyspark.errors.exceptions.captured.AnalysisException: [TABLE_OR_VIEW_NOT_FOUND] The "
            "table or view `fields` cannot be found. Verify the spelling and correctness of the schema and catalog."
        ),
    ),
    "Python, Java's exception": (
        PROGRAM,
        PY4J,
        (
            "The program raised py4j.protocol.Py4JJavaError: An error occurred while calling "
            "z:org.apache.spark.api.python.PythonRDD.collectAndServe. Java threw org.apache.spark.SparkException: Job "
            "aborted due to stage failure: Task 1 in stage 0.0 failed 1 times"
        ),
    ),
    "Python, a task's failure in Java": (
        PROGRAM,
        PY4J_TASK,
        (
            "The program raised py4j.protocol.Py4JJavaError: An error occurred while calling o30.csv. Java threw "
            "java.io.IOException: Mkdirs failed to create file:/proc/fields"
        ),
    ),
    "Python, Java's exception and its cause": (
        PROGRAM,
        PY4J_CAUSE,
        (
            "The program raised py4j.protocol.Py4JJavaError: An error occurred while calling o31.load. Java threw "
            "org.apache.spark.SparkClassNotFoundException: [DATA_SOURCE_NOT_FOUND] Failed to find the data source: "
            "harvester., caused by java.lang.ClassNotFoundException: harvester.DefaultSource"
        ),
    ),
    "Python, Java's exception of a Python worker's": (
        PROGRAM,
        PY4J_WORKER,
        (
            "The program raised py4j.protocol.Py4JJavaError: An error occurred while calling o40.saveAsTextFile. Java "
            "threw org.apache.spark.SparkException: Job aborted., caused by "
            "org.apache.spark.api.python.PythonException: ZeroDivisionError: division by zero"
        ),
    ),
    "Python, Spark's exception and its cause": (
        PROGRAM,
        CAPTURED,
        (
            "The program raised pyspark.errors.exceptions.captured.StreamingQueryException: [STREAM_FAILED] Query "
            "terminated. SQLSTATE: XXKST, caused by java.io.FileNotFoundException: /fields/part-0 is gone"
        ),
    ),
    "Python, log lines in between": (
        PROGRAM,
        INTERLEAVED,
        "The program raised TypeError: unsupported operand type(s) for +: 'int' and 'str'",
    ),
    "Python, missing module": (
        PROGRAM,
        MODULE,
        "The program raised ModuleNotFoundError: No module named 'tractor'",
    ),
    "Python, no Python": (PROGRAM, SYNTAX, "The program raised SyntaxError: invalid syntax"),
    "Python, wrong indentation": (
        PROGRAM,
        INDENTATION,
        "The program raised IndentationError: unexpected indent",
    ),
    "Python, but Java's fault": (
        PROGRAM,
        'Exception in thread "main" java.io.IOException: Cannot run program "python9"',
        'The application threw java.io.IOException: Cannot run program "python9"',
    ),
    "a traceback in an archive's output": (
        JAR,
        TRACEBACK,
        "The application ended with exit code 1 and did not say why.",
    ),
}


@pytest.mark.parametrize(("submission", "text", "cause"), TEXTS.values(), ids=TEXTS)
@pytest.mark.parametrize("noise", [False, True])
def test_the_cause_is_found(submission, text, cause, noise):
    output = (NOISE + text.rstrip("\n") + "\n" + FAREWELL) if noise else text
    assert diagnose(submission, 1, output.splitlines()) == cause


@pytest.mark.parametrize(
    "output", [[], [""], NOISE.splitlines(), ["harvested 12 t", "Error handling is fine"]]
)
@pytest.mark.parametrize(("code", "told"), [(3, "exit code 3"), (None, "no exit code")])
def test_where_nothing_is_said_that_is_said(output, code, told):
    assert diagnose(JAR, code, output) == f"The application ended with {told} and did not say why."


def test_java_that_says_no_more_than_that_it_failed():
    cause = diagnose(JAR, 1, ["Error: Could not create the Java Virtual Machine."])
    assert cause == "Java did not start: Error: Could not create the Java Virtual Machine."


def test_only_the_end_of_the_output_is_looked_through():
    ahead = UNCAUGHT.splitlines()[:1]
    assert "IllegalState" in diagnose(JAR, 1, ahead + ["fine"] * (LOOKED_AT - 1))
    assert "did not say why" in diagnose(JAR, 1, ahead + ["fine"] * LOOKED_AT)


def test_a_cause_is_one_line_that_lists_can_carry():
    cause = diagnose(JAR, 1, [f'Exception in thread "main" java.lang.Error: {"x" * 10_000}'])
    assert len(cause) == LONGEST
    assert cause.startswith("The application threw java.lang.Error: xxx")


@pytest.mark.parametrize("carriage", ["", "\r"])
def test_line_ends_of_other_systems_do_not_hide_a_cause(carriage):
    lines = [line + carriage for line in TRACEBACK.splitlines()]
    assert diagnose(PROGRAM, 1, lines) == "The program raised ValueError: no field has been sown"


def test_what_a_worker_wraps_is_unwrapped():
    output = [
        "Caused by: java.io.IOException: an earlier one, which was dealt with",
        'Exception in thread "main" java.lang.reflect.InvocationTargetException',
        "\tat java.base/java.lang.reflect.Method.invoke(Method.java:569)",
        "Caused by: java.lang.IllegalStateException: out of seed",
        "\tat demo.App.main(App.scala:12)",
    ]
    said = diagnose(Submission(file="/a.jar", class_name="demo.App"), 1, output)
    assert said == "The application threw java.lang.IllegalStateException: out of seed"
