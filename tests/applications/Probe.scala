package headland.tests

import java.nio.file.{Files, Path, Paths, StandardOpenOption}

import org.apache.spark.SparkFiles
import org.apache.spark.sql.SparkSession

/** What tests run: it says what reached it, or behaves in the way that its first argument names. */
object Probe {
  def main(arguments: Array[String]): Unit = arguments.headOption match {
    case Some("tell") => tell(arguments.drop(1))
    case Some("fail") => throw new IllegalStateException("the drill is out of seed")
    case Some("exit") => sys.exit(arguments(1).toInt)
    case Some("linger") => linger(Paths.get(arguments(1)), arguments(2))
    case Some("await") => await(Paths.get(arguments(1)))
    case Some("hold") => hold(Paths.get(arguments(1)))
    case other => sys.error(s"unknown behaviour $other")
  }

  /** Prints configuration and files as `key=value` lines, and the sum of a small Spark job. */
  private def tell(rest: Array[String]): Unit = {
    val spark = SparkSession.builder().getOrCreate()
    rest.zipWithIndex.foreach { case (text, index) => println(s"argument $index=<$text>") }
    spark.conf.getAll.toSeq.sorted.foreach { case (key, value) => println(s"conf $key=$value") }
    println(s"user=${spark.sparkContext.sparkUser}")
    println(s"sum=${spark.range(101).selectExpr("sum(id)").head().getLong(0)}")
    spark.conf.getOption("spark.probe.file").foreach { name =>
      println(s"file=${Files.readString(Paths.get(SparkFiles.get(name))).trim}")
    }
    spark.conf.getOption("spark.probe.archive").foreach { name =>
      println(s"archive=${Files.readString(Paths.get(SparkFiles.get(name))).trim}")
    }
    spark.conf.getOption("spark.probe.class").foreach { name =>
      println(s"class=${Thread.currentThread.getContextClassLoader.loadClass(name).getName}")
    }
    Seq("probe.one", "probe.two").foreach(name => println(s"property $name=${sys.props.getOrElse(name, "")}"))
    println(s"environment=${sys.env.keys.toSeq.sorted.mkString(",")}")
    spark.stop()
  }

  /** Has a Spark application until there is a file. */
  private def hold(until: Path): Unit = {
    val spark = SparkSession.builder().getOrCreate()
    await(until)
    spark.stop()
  }

  /** Waits for a file. */
  private def await(file: Path): Unit = {
    while (!Files.exists(file)) Thread.sleep(50)
    println("awaited")
  }

  /** Leaves a line for each run, starts children that want to be forgotten, and stays for some seconds, or until there
    * is a file of another name beside its mark.
    */
  private def linger(mark: Path, until: String): Unit = {
    Files.writeString(mark, s"run ${ProcessHandle.current.pid}\n", StandardOpenOption.CREATE, StandardOpenOption.APPEND)
    // Not scala.sys.process: its threads read the children's output, and would keep the JVM until they end.
    new ProcessBuilder("/bin/sh", "-c", "setsid sleep 600 & sleep 600 &").inheritIO().start()
    println("lingering")
    until.toIntOption.fold(await(mark.resolveSibling(until)))(seconds => Thread.sleep(seconds * 1000L))
    println("lingered")
  }
}
