package headland.examples

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.functions._

/** What did each field yield, and how evenly?
  *
  * Reads no files: the harvest is computed, point by point, the way a combine's yield monitor would have
  * logged it, so that the same numbers come out everywhere. Arguments: how many points a field has
  * (default 20000), a URL on cluster storage where the report is to be kept as Parquet, and `fail` to see how a
  * failing application looks.
  */
object YieldReport {
  private val fields = Seq(
    ("Home Meadow", "winter wheat", 12.4, 8.1),
    ("Long Acre", "winter wheat", 21.9, 7.4),
    ("Mill Side", "spring barley", 9.7, 6.2),
    ("North Headland", "oilseed rape", 15.2, 3.6))

  def main(arguments: Array[String]): Unit = {
    val points = arguments.headOption.flatMap(_.toIntOption).getOrElse(20000)
    val spark = SparkSession.builder().appName("Yield report").getOrCreate()
    import spark.implicits._

    if (arguments.contains("fail"))
      throw new IllegalStateException("the yield monitor of field 'Mill Side' has no calibration")

    val harvest = fields.toDF("field", "crop", "hectares", "mean")
      .crossJoin(spark.range(points).toDF("point"))
      // A pseudo-random but repeatable spread around the field's mean, in tonnes a hectare.
      .withColumn("yield", $"mean" * (lit(0.85) + pmod(hash($"field", $"point"), lit(301)) / lit(1000.0)))

    val report = harvest
      .groupBy($"field", $"crop", $"hectares")
      .agg(avg("yield").as("mean"), stddev("yield").as("spread"))
      .select(
        $"field",
        $"crop",
        $"hectares".as("ha"),
        round($"mean", 2).as("t/ha"),
        round($"mean" * $"hectares", 1).as("tonnes"),
        round(lit(100) * $"spread" / $"mean", 1).as("spread %"))
      .orderBy("field")

    report.show(false)
    arguments.find(_.contains("://")).foreach(report.coalesce(1).write.mode("overwrite").parquet(_))
    println(s"Yield of ${fields.size} fields from ${fields.size.toLong * points} logged points")
    spark.stop()
  }
}
