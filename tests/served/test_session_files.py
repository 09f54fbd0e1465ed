"""Archives and files that sessions are given: at their start, by URL, and sent."""

import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.served.notebooks import HEADERS, Notebook
from tests.serving import Served, running

pytestmark = pytest.mark.spark

#: What each language has of the archive's classes in the driver, and in the tasks of executors.
SCALA = "farm.Soil.twice(21) + sc.parallelize(Seq(1, 2), 2).map(n => new farm.Soil(n).depth).sum"
PYTHON = "sc._jvm.farm.Soil.twice(21)"
SQL = "SELECT java_method('farm.Soil', 'twice', CAST(id AS INT)) AS n FROM range(0, 2, 1, 2)"


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    served = Served(tmp_path_factory.mktemp("files") / "home")
    with running(served):
        yield served


def send(notebook: Notebook, what: str, name: str, content: bytes, status: int = 200) -> str:
    form = {"jar" if what == "jar" else "file": (name, content)}
    answer = notebook.client.post(f"{notebook.path}/upload-{what}", files=form, headers=HEADERS)
    assert answer.status_code == status, answer.text
    return answer.text


def sees_classes(notebook: Notebook, *kinds: str) -> None:
    for kind in kinds:
        if kind == "spark":
            assert notebook.text(SCALA, kind=kind).endswith("Double = 45.0\n")
        elif kind == "pyspark":
            assert notebook.text(PYTHON, kind=kind) == "42"
            code = (
                "spark.udf.registerJavaFunction('twice', 'farm.Twice', 'int')\n"
                "spark.sql('SELECT sum(twice(CAST(id AS INT))) AS n FROM range(0, 4, 1, 2)').first().n"
            )
            assert notebook.text(code, kind=kind) == "12"
        else:
            shown = notebook.run(SQL, kind=kind)
            assert shown["status"] == "ok", shown
            assert shown["data"]["application/json"]["data"] == [["0"], ["2"]]


def test_an_archive_sent_to_python_is_seen_by_languages_that_start_later(served: Served, soil: Path) -> None:
    notebook = Notebook(served).is_idle()
    assert "app.jar is not an archive of classes" in send(notebook, "jar", "app.jar", b"", 400)
    listed = "len(sc._jvm.scala.jdk.javaapi.CollectionConverters.asJava(sc._jsc.sc().listJars()))"
    assert notebook.text(listed) == "0"
    assert notebook.run(PYTHON)["status"] == "error"
    send(notebook, "jar", "soil.jar", soil.read_bytes())
    sees_classes(notebook, "pyspark", "spark", "sql")
    assert served.public.delete(notebook.path).status_code == 200


def test_an_archive_by_url_is_seen_by_languages_that_run(served: Served, soil: Path) -> None:
    notebook = Notebook(served, kind="spark").is_idle()
    assert "not found: value farm" in notebook.run(SCALA)["evalue"]
    assert notebook.text("1", kind="pyspark") == "1"
    notebook.post("/add-jar", {"uri": served.put(soil, "soil.jar")})
    sees_classes(notebook, "spark", "pyspark", "sql")
    assert served.public.delete(notebook.path).status_code == 200


def test_what_a_session_begins_with(served: Served, soil: Path, tmp_path: Path) -> None:
    """Archives of classes, modules, files, archives of files: in every language, driver and executors."""
    module, notes, archive = tmp_path / "hedge.py", tmp_path / "notes.txt", tmp_path / "maps.zip"
    module.write_text("HEIGHT = 3\n")
    notes.write_text("wet")
    with zipfile.ZipFile(archive, "w") as written:
        written.writestr("north.txt", "north")
    notebook = Notebook(
        served,
        kind="shared",
        jars=[served.put(soil, "soil.jar")],
        pyFiles=[served.put(module, "hedge.py")],
        files=[served.put(notes, "notes.txt")],
        archives=[served.put(archive, "maps.zip") + "#maps"],
    ).is_idle()
    # In the JVM a file is found by its name; a relative path is one of the JVM's own folder.
    code = (
        "import org.apache.spark.SparkFiles\n"
        'scala.io.Source.fromFile(SparkFiles.get("notes.txt")).mkString + new java.io.File("notes.txt").exists'
    )
    assert notebook.text(code, kind="spark").endswith("String = wetfalse\n")
    sees_classes(notebook, "sql", "spark", "pyspark")
    code = (
        "import os, hedge\n"
        "from pyspark import SparkFiles\n"
        "assert os.path.samefile(os.getcwd(), SparkFiles.getRootDirectory())\n"
        "listed = 'notes.txt', SparkFiles.get('notes.txt'), 'maps/north.txt'\n"
        "[open(name).read() for name in listed], hedge.HEIGHT"
    )
    assert notebook.text(code, kind="pyspark") == "(['wet', 'wet', 'north'], 3)"
    code = (
        "def height(_):\n"
        "    import hedge\n"
        "    return open(SparkFiles.get('maps/north.txt')).read() + str(hedge.HEIGHT)\n"
        "sc.parallelize([0]).map(height).collect()"
    )
    assert notebook.text(code, kind="pyspark") == "['north3']"
    assert served.public.delete(notebook.path).status_code == 200


def test_python_that_starts_later_has_what_was_given_before(served: Served, tmp_path: Path) -> None:
    notebook = Notebook(served, kind="sql").is_idle()
    send(notebook, "pyfile", "ditch.py", b"DEPTH = 2\n")
    send(notebook, "file", "../../notes.txt", b"wet")
    module = tmp_path / "hedgerow.py"
    module.write_text("HEIGHT = 3\n")
    url = served.put(module, "modules/hedgerow.py")
    notebook.post("/add-pyfile", {"uri": url})
    code = (
        "import ditch, hedgerow\n"
        "deep = sc.parallelize([0]).map(lambda _: __import__('ditch').DEPTH).first()\n"
        "ditch.DEPTH, deep, hedgerow.HEIGHT, open('notes.txt').read()"
    )
    assert notebook.text(code, kind="pyspark") == "(2, 2, 3, 'wet')"
    send(notebook, "file", "sown.csv", b"1,2")
    assert notebook.text("open('sown.csv').read()", kind="pyspark") == "'1,2'"
    assert served.public.delete(notebook.path).status_code == 200


def test_cells_reach_cluster_storage(served: Served) -> None:
    """Each language reads what another one wrote; a path without a scheme is there, too."""
    notebook = Notebook(served, kind="shared").is_idle()
    rows = "range(0, 20, 1, 2).toDF('n').write.parquet"
    assert notebook.run(f"spark.{rows}('wasbs:///cells/python ü')", kind="pyspark")["status"] == "ok"
    assert (served.home / "storage/headland/default/cells/python ü/_SUCCESS").exists()
    code = 'spark.read.parquet("/cells/python ü").count()'
    assert notebook.text(code, kind="spark").endswith("Long = 20\n")
    shown = notebook.run(
        "SELECT count(*) AS c FROM parquet.`abfss://default@headland/cells/python ü`", kind="sql"
    )
    assert shown["data"]["application/json"]["data"] == [[20]]
    said = notebook.run("spark.read.text('wasbs:///cells/none')", kind="pyspark")
    assert "PATH_NOT_FOUND" in said["evalue"]
    assert served.public.delete(notebook.path).status_code == 200
