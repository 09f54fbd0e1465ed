"""What a cell says that failed."""

from headland.jobs.sessions.interpreter.outputs import failed_by


class Py4JJavaError(Exception):
    """As py4j's, whose own asks a JVM what to say."""


TEXT = """An error occurred while calling o41.sow.
: org.apache.spark.SparkException: Job aborted
\tat org.apache.spark.Sower.sow(Sower.scala:1)
Caused by: java.lang.RuntimeException: outer
\tat farm.Barn.open(Barn.java:1)
Caused by: java.io.IOException: no seed
\t... 3 more"""


def test_java_s_cause_is_named_first_and_its_stack_is_in_the_traceback_alone() -> None:
    output = failed_by(0, Py4JJavaError(TEXT))
    assert output["ename"] == "Py4JJavaError"
    assert output["evalue"].splitlines() == [
        "java.io.IOException: no seed",
        "org.apache.spark.SparkException: Job aborted",
        "An error occurred while calling o41.sow.",
    ]
    assert TEXT in "".join(output["traceback"])


def test_an_error_without_a_cause() -> None:
    output = failed_by(
        0, Py4JJavaError("An error occurred while calling o1.sow.\n: java.io.IOException: no seed\n\tat x")
    )
    assert output["evalue"].splitlines() == [
        "java.io.IOException: no seed",
        "An error occurred while calling o1.sow.",
    ]
    assert failed_by(0, Py4JJavaError("An error"))["evalue"] == "An error"
