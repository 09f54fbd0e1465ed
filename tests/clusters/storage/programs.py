"""Small Spark programs on cluster storage, one after another in one application. Of each it says in a line of JSON how
it went. Its arguments: the URL of a folder that is theirs; the folder of this machine that has the same, if one has;
how many files are many; the programs, if not all.
"""

import json
import sys
import time
import traceback
from pathlib import Path

from pyspark import SparkFiles
from pyspark.sql import DataFrame, SparkSession

spark = SparkSession.builder.getOrCreate()
sc = spark.sparkContext
#: Ends in a slash.
HERE = sys.argv[1]
FOLDER = Path(sys.argv[2]) if len(sys.argv) > 2 and sys.argv[2] else None
MANY = int(sys.argv[3]) if len(sys.argv) > 3 else 10_000
HADOOP = sc._jvm.org.apache.hadoop.fs

#: What may stand in a name, and is not the same in a URL.
NAMES = ("with space", "Größe ü", "100%", "%20", "a:b", "né 🌾", "a+b&c=d", "'quoted' \"name\"", "[x]{y}")


def path_of(text: str):
    return HADOOP.Path(text)


def file_system(text: str = HERE):
    return path_of(text).getFileSystem(sc._jsc.hadoopConfiguration())


def names_in(text: str) -> list[str]:
    return sorted(status.getPath().getName() for status in file_system(text).listStatus(path_of(text)))


def rows(count: int = 200) -> DataFrame:
    return spark.range(0, count, 1, 2).selectExpr(
        "id", "cast(id % 4 AS int) k", "concat('Zeile ü ', id) t", "id / 3 d", "timestamp_seconds(id) at"
    )


def both_ways(kind: str, **options: str) -> None:
    target = f"{HERE}formats/{kind}"
    rows().write.format(kind).options(**options).save(target)
    found = spark.read.format(kind).options(**options).schema(rows().schema).load(target)
    assert sorted(found.collect()) == sorted(rows().collect())
    assert "_SUCCESS" in names_in(target)
    assert not [name for name in names_in(target) if name.startswith("_temporary")]


def parquet_both_ways() -> None:
    both_ways("parquet")


def orc_both_ways() -> None:
    both_ways("orc")


def json_both_ways() -> None:
    both_ways("json")


def csv_both_ways() -> None:
    both_ways("csv", header="true")


def compressed_csv_both_ways() -> None:
    target = f"{HERE}formats/gzip"
    rows().write.csv(target, compression="gzip")
    assert spark.read.csv(target).count() == 200


def text_and_binary_files() -> None:
    target = f"{HERE}formats/text"
    rows().select("t").coalesce(1).write.text(target)
    lines = spark.read.text(target)
    assert lines.count() == 200
    (whole,) = spark.read.format("binaryFile").load(f"{target}/part-*").collect()
    assert whole.length == len(whole.content) == sum(len(row.value.encode()) + 1 for row in lines.collect())


def rdds_of_every_kind() -> None:
    pairs = sc.parallelize([(n, f"ü{n}") for n in range(100)], 2)
    pairs.saveAsTextFile(f"{HERE}rdd/text")
    pairs.saveAsSequenceFile(f"{HERE}rdd/sequence")
    pairs.saveAsPickleFile(f"{HERE}rdd/pickle")
    assert sc.textFile(f"{HERE}rdd/text").count() == 100
    assert sorted(sc.sequenceFile(f"{HERE}rdd/sequence").collect())[7] == (7, "ü7")
    assert sorted(sc.pickleFile(f"{HERE}rdd/pickle").collect())[7] == (7, "ü7")
    assert len(sc.wholeTextFiles(f"{HERE}rdd/text").collect()) == 3 - 1
    refused(lambda: pairs.saveAsTextFile(f"{HERE}rdd/text"), "already exists")


def partitions_are_overwritten() -> None:
    target = f"{HERE}partitioned"
    rows().write.partitionBy("k").parquet(target)
    rows(40).filter("k = 1").write.partitionBy("k").mode("overwrite").option(
        "partitionOverwriteMode", "dynamic"
    ).parquet(target)
    assert spark.read.parquet(target).count() == 150 + 10
    rows(40).filter("k = 1").write.partitionBy("k").mode("overwrite").parquet(target)
    assert spark.read.parquet(target).count() == 10
    assert [name for name in names_in(target) if name.startswith("k=")] == ["k=1"]


def rows_are_appended() -> None:
    for _ in range(2):
        rows().write.mode("append").parquet(f"{HERE}appended")
    assert spark.read.parquet(f"{HERE}appended").count() == 400


def the_second_committer() -> None:
    version = "mapreduce.fileoutputcommitter.algorithm.version"
    rows().write.option(version, "2").partitionBy("k").parquet(f"{HERE}committer/2")
    assert spark.read.parquet(f"{HERE}committer/2").count() == 200


def many_small_files() -> None:
    target, count = f"{HERE}many", MANY
    spark.range(0, count, 1, 1).selectExpr("cast(id AS string) t", "id").write.partitionBy("id").text(target)
    # Else there is a task for each folder.
    spark.conf.set("spark.sql.sources.parallelPartitionDiscovery.parallelism", "8")
    began = time.monotonic()
    assert sum(name.startswith("id=") for name in names_in(target)) == count
    print(f"listed in {time.monotonic() - began:.2f} s", flush=True)
    assert spark.read.text(target).count() == count
    assert file_system().getContentSummary(path_of(target)).getFileCount() == count + 1
    assert file_system().delete(path_of(target), True)


def tables() -> None:
    rows().write.saveAsTable("yields")
    assert spark.sql("SELECT count(*) FROM yields WHERE k = 2").first()[0] == 50
    assert "yields" in names_in(spark.conf.get("spark.sql.warehouse.dir"))
    spark.table("yields").write.option("path", f"{HERE}table").format("orc").saveAsTable("elsewhere")
    spark.sql("INSERT OVERWRITE elsewhere SELECT * FROM yields WHERE k = 3")
    assert spark.read.orc(f"{HERE}table").count() == 50
    spark.sql("DROP TABLE yields")
    assert "yields" not in names_in(spark.conf.get("spark.sql.warehouse.dir"))


def a_stream_goes_on_from_its_checkpoint() -> None:
    source, sink = f"{HERE}stream/in", f"{HERE}stream/out"
    for count in (200, 400):
        rows().write.mode("append").parquet(source)
        query = (
            spark.readStream.schema(rows().schema)
            .parquet(source)
            .groupBy("k")
            .count()
            .writeStream.outputMode("complete")
            .option("checkpointLocation", f"{HERE}stream/checkpoint")
            .foreachBatch(lambda batch, _: batch.write.mode("overwrite").parquet(sink))
            .trigger(availableNow=True)
            .start()
        )
        query.awaitTermination()
        assert sum(row["count"] for row in spark.read.parquet(sink).collect()) == count
    assert {"0", "1"} <= set(names_in(f"{HERE}stream/checkpoint/commits"))


def files_are_given_to_tasks() -> None:
    rows(1).select("t").coalesce(1).write.text(f"{HERE}given")
    (part,) = (name for name in names_in(f"{HERE}given") if name.startswith("part-"))
    sc.addFile(f"{HERE}given/{part}")

    def read(_: int) -> str:
        return Path(SparkFiles.get(part)).read_text("utf-8")

    assert sc.parallelize([1], 1).map(read).collect() == ["Zeile ü 0\n"]


def an_rdd_is_checkpointed() -> None:
    sc.setCheckpointDir(f"{HERE}rdd/checkpoints")
    numbers = sc.parallelize(range(100), 2)
    numbers.checkpoint()
    assert numbers.sum() == 4950
    assert numbers.getCheckpointFile().startswith(HERE.rstrip("/").partition("//")[0])


def names_of_every_kind() -> None:
    system, root = file_system(), path_of(HERE).toUri()

    def at(name: str):
        # By its parts: Hadoop takes what is before a colon for a scheme.
        return HADOOP.Path(root.getScheme(), root.getAuthority(), f"{root.getPath()}/names/{name}")

    for name in NAMES:
        target = at(f"{name}/ü {name}.txt")
        out = system.create(target)
        out.write(bytearray(name.encode()))
        out.close()
        assert system.getFileStatus(target).getLen() == len(name.encode()), name
        assert system.listStatus(target.getParent())[0].getPath().getName() == f"ü {name}.txt"
        assert system.rename(target, at(f"{name}/{name} 2")), name
        assert system.exists(at(f"{name}/{name} 2")), name
        if FOLDER:
            assert (FOLDER / "names" / name / f"{name} 2").read_text("utf-8") == name
    assert names_in(f"{HERE}names") == sorted(NAMES)
    data = spark.createDataFrame([(n, name) for n, name in enumerate(NAMES)], "n int, name string")
    data.write.partitionBy("name").parquet(f"{HERE}partitions of names")
    found = spark.read.parquet(f"{HERE}partitions of names")
    assert {row.name for row in found.collect()} == set(NAMES)
    assert spark.read.text(f"{HERE}names/with space").first()[0] == "with space"


def globs() -> None:
    for name in ("a1.txt", "a2.txt", "b1.txt"):
        for year in ("2025", "2026"):
            file_system().create(path_of(f"{HERE}globs/{year}/{name}")).close()
    assert len(file_system().globStatus(path_of(f"{HERE}globs/*/a?.txt"))) == 4
    assert len(file_system().globStatus(path_of(f"{HERE}globs/{{2025,2026}}/[b]*"))) == 2
    assert spark.read.text(f"{HERE}globs/*/*.txt").count() == 0


def every_form_of_url_is_the_same_place() -> None:
    uri = path_of(HERE).toUri()
    rows().write.parquet(f"{HERE}forms")
    for scheme in ("wasbs", "wasb", "abfs", "abfss"):
        account = (
            uri.getAuthority() + (".dfs" if scheme.startswith("abfs") else ".blob") + ".core.windows.net"
        )
        for authority in (uri.getAuthority(), account):
            assert spark.read.parquet(f"{scheme}://{authority}{uri.getPath()}/forms").count() == 200


def file_contexts() -> None:
    context = HADOOP.FileContext.getFileContext(path_of(HERE).toUri(), sc._jsc.hadoopConfiguration())
    source, target = path_of(f"{HERE}context/a"), path_of(f"{HERE}context/b")
    for each in (source, target):
        file_system().create(each).close()
    options = sc._gateway.new_array(sc._jvm.org.apache.hadoop.fs.Options.Rename, 0)
    refused(lambda: context.rename(source, target, options), "is there already")
    overwrite = sc._gateway.new_array(sc._jvm.org.apache.hadoop.fs.Options.Rename, 1)
    overwrite[0] = sc._jvm.org.apache.hadoop.fs.Options.Rename.OVERWRITE
    context.rename(source, target, overwrite)
    assert names_in(f"{HERE}context") == ["b"]


def archives_are_added_at_run_time() -> None:
    spark.sql(f"ADD JAR '{HERE}soil.jar'")
    found = (
        spark.range(0, 2, 1, 2)
        .selectExpr("java_method('farm.Soil', 'twice', CAST(id AS INT)) AS n")
        .collect()
    )
    assert [row.n for row in found] == ["0", "2"]


def what_is_wrong_is_said() -> None:
    refused(lambda: spark.read.text(f"{HERE}nowhere"), "PATH_NOT_FOUND")
    refused(lambda: file_system().open(path_of(f"{HERE}nowhere")), "There is no blob or folder")
    refused(lambda: names_in("wasbs://default@nobody/"), "There is no storage account 'nobody'")
    refused(lambda: names_in("wasbs://nowhere-at-all@headland/"), "There is no container 'nowhere-at-all'")
    refused(lambda: names_in("wasbs://Bad_Name@headland/"), "is no container name")
    refused(lambda: file_system().create(path_of(f"{HERE}a?b")), "it has a '?' in a name")
    refused(lambda: file_system().create(path_of(f"{HERE}a\tb")), "control character U+0009")
    refused(lambda: names_in("wasbs://default@headland/../../../etc"), "has a segment '..'")
    if FOLDER:
        (FOLDER / "links").mkdir()
        (FOLDER / "links" / "out").symlink_to("/etc")
        refused(lambda: names_in(f"{HERE}links/out"), "leads out of its storage account")
        refused(
            lambda: file_system().create(path_of(f"{HERE}links/out/x")), "leads out of its storage account"
        )
        assert names_in(f"{HERE}links") == []


def refused(work, said: str) -> None:
    try:
        work()
    except Exception as error:  # noqa: BLE001 - whatever kind Py4J makes of it
        told = str(error)
    else:
        told = "nothing"
    assert said in told, told


PROGRAMS = (
    parquet_both_ways,
    orc_both_ways,
    json_both_ways,
    csv_both_ways,
    compressed_csv_both_ways,
    text_and_binary_files,
    rdds_of_every_kind,
    partitions_are_overwritten,
    rows_are_appended,
    the_second_committer,
    tables,
    a_stream_goes_on_from_its_checkpoint,
    files_are_given_to_tasks,
    an_rdd_is_checkpointed,
    names_of_every_kind,
    globs,
    every_form_of_url_is_the_same_place,
    file_contexts,
    archives_are_added_at_run_time,
    what_is_wrong_is_said,
    many_small_files,
)

if __name__ == "__main__":
    for program in PROGRAMS:
        if sys.argv[4:] and program.__name__ not in sys.argv[4:]:
            continue
        began, problem = time.monotonic(), None
        try:
            program()
        except Exception:  # noqa: BLE001 - it is told
            problem = traceback.format_exc()
        told = {
            "program": program.__name__,
            "problem": problem,
            "seconds": round(time.monotonic() - began, 1),
        }
        print(f"outcome {json.dumps(told)}", flush=True)
