package farm

/** A class of an archive that sessions are given. */
object Soil {
  def twice(depth: Int): Int = depth * 2
}

class Soil(val depth: Int) extends Serializable

/** For SQL. */
class Twice extends org.apache.spark.sql.api.java.UDF1[Integer, Integer] {
  def call(depth: Integer): Integer = Soil.twice(depth)
}
