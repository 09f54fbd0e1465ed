// In Spark's own package, since it puts back what Spark keeps to itself.
package org.apache.spark.headland

import java.io.{DataInputStream, EOFException, FileDescriptor, FileOutputStream, PrintWriter, StringWriter}
import java.nio.charset.StandardCharsets.UTF_8

import org.apache.hadoop.fs.FileSystem
import org.apache.hadoop.security.UserGroupInformation
import org.apache.spark.api.python.Py4JServer
import org.apache.spark.deploy.{SparkHadoopUtil, SparkSubmit}
import org.apache.spark.internal.Logging
import org.apache.spark.sql.{Row, SparkSession}
import org.apache.spark.sql.functions.{col, count, lit, sum}

import scala.tools.nsc.Settings
import scala.tools.nsc.interpreter.IMain
import scala.tools.nsc.interpreter.shell.ReplReporterImpl

/** A small application that touches what most applications touch, and with a second argument what sessions do. */
object Training {
  def main(arguments: Array[String]): Unit = {
    val spark = SparkSession.builder().getOrCreate()
    val folder = arguments(0)
    val types = spark.range(0, 2000, 1, 2).withColumn("k", col("id") % 7).withColumn("t", col("id").cast("string"))
    types.groupBy("k").agg(sum("id").as("s"), count(lit(1)).as("n")).orderBy(col("s").desc).collect()
    types.write.option("header", "true").csv(s"$folder/csv")
    val read = spark.read.option("header", "true").csv(s"$folder/csv")
    read.filter(col("t").isNotNull).createOrReplaceTempView("t")
    spark.sql("SELECT k, sum(cast(id AS double)) AS s FROM t GROUP BY k ORDER BY s").collect().foreach(_.toString)
    spark.createDataFrame(java.util.List.of(Row("a", 1)), read.limit(0).selectExpr("t", "cast(k AS int) AS k").schema)
      .write.parquet(s"$folder/parquet")
    spark.read.parquet(s"$folder/parquet").count()
    spark.sparkContext.parallelize(1 to 1000, 2).map(n => (n % 7, n)).reduceByKey(_ + _).collect()
    if (arguments.length > 1) serveSession(spark)
    spark.stop()
  }

  /** The gateway of Python's cells, and Spark's interpreter for Scala's. */
  private def serveSession(spark: SparkSession): Unit = {
    val gateway = new Py4JServer(spark.sparkContext.getConf)
    gateway.start()
    gateway.shutdown()
    val settings = new Settings()
    settings.processArgumentString("-usejavacp -Yrepl-class-based")
    val reporter = new ReplReporterImpl(settings, new PrintWriter(new StringWriter()))
    val interpreter = new IMain(settings, None, settings, reporter)
    interpreter.interpret("val spark = org.apache.spark.sql.SparkSession.builder().getOrCreate(); import spark.implicits._")
    interpreter.interpret("case class Pair(a: Long, b: String); spark.range(3).as[Long].filter($\"id\" > 0).count()")
    interpreter.close()
  }
}

/** `SparkSubmit`, in a JVM that ends no sooner than what the application said last has been passed on. */
object Driver {
  /** How long it waits for that, in milliseconds: a child of the application's may hold on to the output. */
  private val Patience = 5000L

  def main(arguments: Array[String]): Unit = {
    Runtime.getRuntime.addShutdownHook(new Thread(ending(Thread.currentThread)))
    SparkSubmit.main(arguments)
  }

  /** Spark's runner of Python programs ends the JVM as soon as the program has ended, while the thread that copies its
    * output may still have some to copy. A JVM that is told to end does not wait: the program may go on.
    */
  private def ending(main: Thread): Runnable = () => {
    val exits = main.getStackTrace.exists(frame => frame.getClassName == "java.lang.Runtime" && frame.getMethodName == "exit")
    if (exits || !main.isAlive)
      Thread.getAllStackTraces.keySet.forEach(thread => if (thread.getName == "redirect output") thread.join(Patience))
  }
}

/** Runs the training application as `SparkSubmit` would any other, puts the JVM back as it was, says that it is ready
  * by a byte on the socket that is its standard input, and reads from there the arguments of the one application that
  * it is for. The other side is `headland/jobs/runner/waiting.py`.
  */
object WarmDriver {
  def main(training: Array[String]): Unit = {
    val properties = System.getProperties.clone().asInstanceOf[java.util.Properties]
    val loader = Thread.currentThread.getContextClassLoader
    SparkSubmit.main(training)
    SparkSession.clearActiveSession()
    SparkSession.clearDefaultSession()
    FileSystem.closeAll()
    // A Kerberos ticket may be older than the application by the time there is one.
    UserGroupInformation.reset()
    UserGroupInformation.setConfiguration(SparkHadoopUtil.get.conf)
    System.setProperties(properties)
    Thread.currentThread.setContextClassLoader(loader)
    Logging.setLogLevelPrinted = false
    Logging.uninitialize()
    System.gc()
    new FileOutputStream(FileDescriptor.in).write('\n')
    Driver.main(arguments())
  }

  private def arguments(): Array[String] = {
    val input = new DataInputStream(System.in)
    try Array.fill(input.readInt())(read(input, input.readInt()))
    catch {
      // Nobody has work for this JVM any more.
      case _: EOFException => Runtime.getRuntime.halt(0); Array.empty
    }
  }

  private def read(input: DataInputStream, size: Int): String = {
    val bytes = new Array[Byte](size)
    input.readFully(bytes)
    new String(bytes, UTF_8)
  }
}
