package headland.filesystem

import java.io.{IOException, InputStream, InterruptedIOException}
import java.net.URI
import java.net.http.{HttpClient, HttpRequest, HttpResponse, HttpTimeoutException}
import java.time.Duration
import java.util.{Timer, TimerTask}
import java.util.concurrent.ConcurrentHashMap

/** A large blob as its own store has it: by a link that the service signs, without the bytes passing through the service.
  * Where the service gives no link, or the store is not reached from here or answers otherwise than it should, there is
  * nothing, and whoever reads asks the service for the bytes.
  */
final class LinkedBlob(service: Service, path: Seq[String], entry: Entry, shown: String) {
  private var link = Option.empty[URI]
  private var until = 0L
  private var inVain = entry.size < LinkedBlob.Least || entry.etag.isEmpty

  /** Its bytes from `from` on, at most `length` of them. */
  def open(from: Long, length: Long): Option[InputStream] = synchronized {
    if (inVain) None
    else {
      val opened = signed().filter(target => LinkedBlob.reaches(target)).flatMap(asked(_, from, length))
      inVain = opened.isEmpty
      opened
    }
  }

  /** Ask the service from here on. */
  def giveUp(): Unit = synchronized { inVain = true }

  private def signed(): Option[URI] = {
    if (System.nanoTime - until >= 0) {
      val said = Service.Json.readTree(service.ask("GET", path, refused = { case (404 | 405 | 501, _) => "{}".getBytes }))
      // Renewed well before its end: an answer that has begun goes on after it.
      until = System.nanoTime + Duration.ofSeconds(said.path("seconds").asLong).toNanos / 2
      link = Option(said.path("url").asText(null)).map(URI.create)
    }
    link
  }

  private def asked(target: URI, from: Long, length: Long): Option[InputStream] = {
    val request = HttpRequest.newBuilder(target).timeout(LinkedBlob.Patience).header("If-Match", entry.etag)
      .header("Range", s"bytes=$from-${(from + length).min(entry.size) - 1}").build()
    val answer =
      try LinkedBlob.client.send(request, HttpResponse.BodyHandlers.ofInputStream())
      catch {
        case _: InterruptedException =>
          Thread.currentThread.interrupt()
          throw new InterruptedIOException(s"interrupted while $shown was read")
        case error: IOException =>
          LinkedBlob.unreached(target, error)
          return None
      }
    // Stores differ in whether they heed `If-Match`.
    val changed = answer.headers.firstValue("ETag").filter(_ != entry.etag).isPresent
    if (answer.statusCode == 206 && !changed) Some(new LinkedBlob.Watched(answer.body))
    else {
      answer.body.close()
      if (answer.statusCode == 412 || answer.statusCode == 206)
        throw new IOException(s"$shown has changed since it was opened")
      None
    }
  }
}

object LinkedBlob {

  /** Bytes of the smallest blob for which a link is worth its asking. */
  val Least: Long = 8L << 20

  private val Patience = Duration.ofSeconds(60)

  // What a link leads to is for whoever has it: no token, and nobody's proxy for the deployment.
  private lazy val client =
    HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).connectTimeout(Duration.ofSeconds(2)).build()

  // Stores that were not reached from here, and when to try again.
  private val away = new ConcurrentHashMap[String, Long]()

  private def reaches(target: URI): Boolean =
    Option(away.get(target.getAuthority)).forall(again => System.nanoTime - again >= 0)

  private def unreached(target: URI, error: IOException): Unit =
    // One that takes long to answer is there.
    if (!error.isInstanceOf[HttpTimeoutException] || error.isInstanceOf[java.net.http.HttpConnectTimeoutException])
      away.put(target.getAuthority, System.nanoTime + Duration.ofMinutes(5).toNanos)

  private lazy val timer = new Timer("headland-storage-watch", true)

  /** A body that is closed when nothing comes of it for long: Java's client waits for ever. */
  private final class Watched(body: InputStream) extends InputStream {
    @volatile private var waits = 0L
    private val watch = new TimerTask {
      override def run(): Unit = {
        val since = waits
        if (since != 0 && System.nanoTime - since > Patience.toNanos) close()
      }
    }
    timer.schedule(watch, 15000, 15000)

    override def read(): Int = {
      val one = new Array[Byte](1)
      if (read(one, 0, 1) < 0) -1 else one(0) & 0xff
    }

    override def read(bytes: Array[Byte], offset: Int, count: Int): Int = {
      waits = System.nanoTime | 1
      try body.read(bytes, offset, count)
      finally waits = 0
    }

    override def close(): Unit = {
      watch.cancel()
      body.close()
    }
  }
}
