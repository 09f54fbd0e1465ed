"""Scala, SQL and Python in one session, on one Spark application."""

import subprocess
from collections.abc import Iterator

import pytest
from tests.served.notebooks import Notebook
from tests.served.test_processes import processes_of
from tests.serving import HEADLAND, Served, eventually

pytestmark = pytest.mark.spark


@pytest.fixture(scope="module")
def notebook(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Notebook]:
    """A session whose driver stood ready, and that has outlived the service since."""
    home = tmp_path_factory.mktemp("kinds") / "home"
    served = Served(home, jobs_sql_rows="5", jobs_output_limit="100000", jobs_warm_sessions="1")
    try:
        served.start()
        ready = eventually(lambda: next((home / "sessions").glob("*/warmed"), None), "a driver stands ready")
        notebook = Notebook(served, kind="shared").is_idle()
        assert notebook.run_key == ready.parent.name
        served.stop()
        # Another would get ready beside the tests.
        served.environment["HEADLAND_JOBS_WARM_SESSIONS"] = "0"
        served.start()
        yield notebook
    finally:
        served.close()


def test_a_statement_has_to_say_its_kind(notebook: Notebook) -> None:
    assert notebook.get()["kind"] == "shared"
    answer = notebook.post("/statements", {"code": "1"}, 400)
    assert "Code type should be specified if session kind is shared" in answer["msg"]


def test_sql(notebook: Notebook) -> None:
    made = notebook.run("CREATE TEMPORARY VIEW ten AS SELECT id AS n FROM range(10)", kind="sql")
    assert made["data"] == {"application/json": {"schema": {"type": "struct", "fields": []}, "data": []}}
    code = (
        "SELECT n, 'ä' AS s, date'2026-11-21' AS d, 1.50 AS m, array(1, null) AS a, struct(1 AS x) AS st, "
        "map('k', 1) AS kv, double('nan') AS nan FROM ten LIMIT 1"
    )
    shown = notebook.run(code, kind="sql")["data"]["application/json"]
    assert [field["name"] for field in shown["schema"]["fields"]] == [
        *("n", "s", "d", "m", "a", "st", "kv", "nan")
    ]
    assert shown["schema"]["fields"][0] == {"name": "n", "type": "long", "nullable": False, "metadata": {}}
    assert shown["data"] == [[0, "ä", "2026-11-21", 1.5, [1, None], {"x": 1}, {"k": 1}, None]]
    assert "notice" not in shown


def test_rows_beyond_the_limit_are_told_of(notebook: Notebook) -> None:
    shown = notebook.run("SELECT * FROM ten", kind="sql")["data"]["application/json"]
    assert shown["data"] == [[n] for n in range(5)]
    assert shown["notice"] == "There are more rows; these are the first 5."


def test_sql_that_fails(notebook: Notebook) -> None:
    failed = notebook.run("SELEC 1", kind="sql")
    assert (failed["status"], failed["ename"]) == ("error", "Error")
    assert failed["evalue"].startswith("[PARSE_SYNTAX_ERROR]")
    assert "org.apache.spark.sql.catalyst.parser" in failed["traceback"][0]


def test_scala_values_and_printing(notebook: Notebook) -> None:
    assert notebook.text('println("furrow")\nval x = 20', kind="scala") == "furrow\nval x: Int = 20\n"
    assert notebook.text('spark.range(2).toDF("id").toJSON.collect.foreach(println)', kind="spark") == (
        '{"id":0}\n{"id":1}\n'
    )
    # As in Spark's shell, what has no value has taken the first number.
    assert notebook.text("x + 1", kind="spark") == "val res1: Int = 21\n"
    assert notebook.text("spark.range(x).count()", kind="spark") == "val res2: Long = 20\n"


def test_scala_classes_may_be_used_where_they_are_defined(notebook: Notebook) -> None:
    code = (
        "case class Field(name: String, area: Double)\n"
        "object Field { def small(name: String) = Field(name, 0.5) }\n"
        'val fields = Seq(Field("a", 2), Field.small("b")).toDS()\n'
        "fields.map(_.area * x).collect().sum"
    )
    assert notebook.text(code, kind="spark").endswith("Double = 50.0\n")


@pytest.mark.parametrize(
    ("code", "said"),
    [
        ("nothing.there", "error: not found: value nothing"),
        ("1 / 0", "java.lang.ArithmeticException: / by zero"),
        ("def f(x: Int) = {", "incomplete statement"),
    ],
)
def test_scala_that_fails(notebook: Notebook, code: str, said: str) -> None:
    failed = notebook.run(code, kind="spark")
    assert (failed["status"], failed["ename"], failed["evalue"]) == ("error", "Error", said)


def test_scala_magic_lines(notebook: Notebook) -> None:
    shown = notebook.run('val m = Map("a" -> List(1, 2))\n%json m', kind="spark")
    assert shown["data"] == {"application/json": {"a": [1, 2]}}
    table = notebook.run('val t = List(List(1, "b"))\n%table t', kind="spark")["data"]
    assert table["application/vnd.livy.table.v1+json"] == {
        "headers": [{"name": "0", "type": "BIGINT_TYPE"}, {"name": "1", "type": "STRING_TYPE"}],
        "data": [[1, "b"]],
    }
    assert notebook.run("%json (1, 2.5)", kind="spark")["data"] == {"application/json": {"_1": 1, "_2": 2.5}}
    assert notebook.run("%json nosuch", kind="spark")["evalue"] == "Value nosuch does not exist"


@pytest.mark.parametrize(
    ("value", "headers", "row"),
    [
        ('List((1, "b"), (2, "c"))', {"_1": "BIGINT_TYPE", "_2": "STRING_TYPE"}, [1, "b"]),
        ("sc.parallelize(Seq((1.5, true)))", {"_1": "DOUBLE_TYPE", "_2": "BOOLEAN_TYPE"}, [1.5, True]),
        ("Array((1, (2, 3)))", {"_1": "BIGINT_TYPE", "_2": "MAP_TYPE"}, [1, {"_1": 2, "_2": 3}]),
        ('List(Plot("north", 2.5))', {"area": "DOUBLE_TYPE", "name": "STRING_TYPE"}, [2.5, "north"]),
        ('Map("b" -> 1, "a" -> 2)', {"a": "BIGINT_TYPE", "b": "BIGINT_TYPE"}, [2, 1]),
        ("List(1, 2)", {"0": "BIGINT_TYPE"}, [1]),
        ("Seq(Seq(1, 2))", {"0": "BIGINT_TYPE", "1": "BIGINT_TYPE"}, [1, 2]),
        ("List((Some(1), null))", {"_1": "BIGINT_TYPE", "_2": "NULL_TYPE"}, [1, None]),
    ],
)
def test_scala_tables(notebook: Notebook, value: str, headers: dict[str, str], row: list[object]) -> None:
    """As Livy heads them: tuples by `_1`, `_2`, classes by their members, lists by position."""
    code = f"case class Plot(name: String, area: Double)\nval shown = {value}\n%table shown"
    table = notebook.run(code, kind="spark")["data"]["application/vnd.livy.table.v1+json"]
    assert {header["name"]: header["type"] for header in table["headers"]} == headers
    assert table["data"][0] == row


@pytest.mark.parametrize("code", ["", " \n", "// sown", "/* sown\n/* and */ reaped */\n// again\n"])
def test_cells_with_nothing_in_them(notebook: Notebook, code: str) -> None:
    assert notebook.run(code, kind="spark")["data"] == {"text/plain": ""}
    assert notebook.text("val sown = 1 // in spring", kind="spark") == "val sown: Int = 1\n"
    empty = notebook.run(code.replace("//", "#").partition("/*")[0], kind="pyspark")
    assert (empty["status"], empty["data"]) == ("ok", {"text/plain": ""})
    # No query at all is an error in Livy, too.
    query = notebook.run(code.replace("//", "--").partition("/*")[0], kind="sql")
    assert (query["status"], query["ename"]) == ("error", "Error")
    assert query["evalue"].startswith("[PARSE_")


def test_one_application_for_all_kinds(notebook: Notebook) -> None:
    notebook.text('spark.range(7).createOrReplaceTempView("seven")', kind="spark")
    assert notebook.text("spark.table('seven').count(), sc.applicationId", kind="pyspark") == (
        f"(7, '{notebook.get()['appId']}')"
    )
    notebook.text("spark.range(3).createOrReplaceTempView('three')", kind="pyspark")
    shown = notebook.run("SELECT count(*) AS n FROM three", kind="sql")["data"]["application/json"]
    assert shown["data"] == [[3]]


def test_scala_that_waits_is_cancelled(notebook: Notebook) -> None:
    number = notebook.begin("Thread.sleep(600000)", kind="spark")
    notebook.post(f"/statements/{number}/cancel")
    ended = notebook.ended(number)
    assert ended["state"] == "cancelled"
    assert notebook.text("x", kind="spark").endswith("Int = 20\n")


def test_completion_in_scala(notebook: Notebook) -> None:
    answer = notebook.post("/completion", {"code": "spark.ran", "cursor": 9, "kind": "spark"})
    assert answer == {"candidates": ["range"]}
    assert notebook.post("/completion", {"code": "spark.ran", "kind": "spark"}) == answer


def test_long_output_of_scala_is_cut(notebook: Notebook) -> None:
    text = notebook.text('print("a" * 200000); print("end")', kind="spark")
    assert "bytes of output were cut here" in text
    assert text.endswith("end")


def test_the_command_line(notebook: Notebook) -> None:
    def headland(*arguments: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [str(HEADLAND), "session", *arguments, str(notebook.id), "-"],
            input="SELECT n FROM ten WHERE n < 2",
            env=notebook.served.command_environment,
            capture_output=True,
            text=True,
            check=False,
        )

    ran = headland("run", "--kind", "sql")
    assert (ran.returncode, ran.stdout.split(), ran.stderr) == (0, ["n", "0", "1"], "")
    failed = headland("run", "--kind", "spark")
    assert failed.returncode == 1
    assert "failed (Error: " in failed.stderr


def test_stop_keeps_record_and_statements_and_leaves_no_process(notebook: Notebook) -> None:
    served, key = notebook.served, notebook.run_key
    assert len(processes_of(key)) >= 3
    notebook.post("/stop", status=204)
    assert notebook.get()["state"] == "dead"
    assert processes_of(key) == {}
    assert "\t diagnostics: The session was stopped on request." in notebook.get("/log?size=-1")["log"]
    assert notebook.get("/statements/0")["output"]["status"] == "ok"
    notebook.post("/stop", status=204)
    assert notebook.post("/interrupt") == {"msg": "interrupted"}
    assert notebook.post("/connect")["state"] == "dead"
    assert served.public.delete(notebook.path).json() == {"msg": "deleted"}
    assert list((served.home / "sessions").iterdir()) == []
