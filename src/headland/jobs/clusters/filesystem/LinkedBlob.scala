package headland.filesystem

import java.io.{IOException, InputStream}
import java.net.{HttpURLConnection, URI}
import java.time.Duration
import java.util.concurrent.ConcurrentHashMap

/** A large blob as its own store has it: by a link that the service signs, without the bytes passing through the service.
  * Where the service gives no link, or the store is not reached from here or answers otherwise than it should, there is
  * nothing, and whoever reads asks the service for the bytes.
  */
final class LinkedBlob(service: Service, path: Seq[String], entry: Entry, shown: String) {
  private var link = Option.empty[URI]
  private var until = System.nanoTime
  @volatile private var inVain = entry.size < LinkedBlob.Least || entry.etag.isEmpty

  /** Its bytes from `from` on, at most `length` of them. */
  def open(from: Long, length: Long): Option[InputStream] =
    if (inVain) None
    else {
      val opened = signed().filter(LinkedBlob.reaches).flatMap(asked(_, from, length))
      if (opened.isEmpty) giveUp()
      opened
    }

  /** Ask the service from here on. */
  def giveUp(): Unit = inVain = true

  private def signed(): Option[URI] = synchronized {
    if (System.nanoTime - until >= 0) {
      val said = Service.Json.readTree(service.ask("GET", path, refused = { case (404 | 405, _) => "{}".getBytes }))
      // Renewed well before its end: an answer that has begun goes on after it.
      until = System.nanoTime + Duration.ofSeconds(said.path("seconds").asLong).toNanos / 2
      link = Option(said.path("url").asText(null)).map(URI.create)
    }
    link
  }

  private def asked(target: URI, from: Long, length: Long): Option[InputStream] = {
    val connection = target.toURL.openConnection().asInstanceOf[HttpURLConnection]
    connection.setInstanceFollowRedirects(false)
    connection.setConnectTimeout(2000)
    connection.setReadTimeout(60000)
    connection.setRequestProperty("If-Match", entry.etag)
    connection.setRequestProperty("Range", s"bytes=$from-${(from + length).min(entry.size) - 1}")
    try connection.connect()
    catch {
      case _: IOException =>
        LinkedBlob.unreached(target)
        return None
    }
    val status =
      try connection.getResponseCode
      catch { case _: IOException => return None }
    // Stores differ in whether they heed `If-Match`.
    val found = connection.getHeaderField("ETag")
    if (status == 206 && (found == null || found == entry.etag)) Some(connection.getInputStream)
    else {
      connection.disconnect()
      if (status == 206 || status == 412) throw new IOException(s"$shown has changed since it was opened")
      None
    }
  }
}

object LinkedBlob {

  /** Bytes of the smallest blob for which a link is worth its asking. */
  val Least: Long = 8L << 20

  // Stores that were not reached from here, and when to try again.
  private val away = new ConcurrentHashMap[String, Long]()

  private def reaches(target: URI): Boolean =
    Option(away.get(target.getAuthority)).forall(again => System.nanoTime - again >= 0)

  private def unreached(target: URI): Unit =
    away.put(target.getAuthority, System.nanoTime + Duration.ofMinutes(5).toNanos)
}
