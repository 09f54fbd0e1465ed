package headland.filesystem

import java.io.{ByteArrayInputStream, FileNotFoundException, IOException, InterruptedIOException}
import java.net.{URI, URLEncoder}
import java.net.http.{HttpClient, HttpRequest, HttpResponse}
import java.nio.charset.StandardCharsets.UTF_8
import java.security.{GeneralSecurityException, KeyStore}
import java.security.cert.CertificateFactory
import java.time.Duration
import java.util.Base64
import java.util.concurrent.ConcurrentHashMap
import javax.net.ssl.{SSLContext, SSLHandshakeException, TrustManagerFactory, X509TrustManager}

import com.fasterxml.jackson.databind.{JsonNode, ObjectMapper}
import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.{FileAlreadyExistsException, PathIOException}
import org.apache.hadoop.security.AccessControlException

/** Headland's storage service (`headland/storage/routes.py`, `filesystem_routes.py`), which is waited for when it is
  * away: everything that is asked of it here may be asked again.
  */
final class Service(base: String, resource: String, patience: Duration, client: HttpClient) {
  private val tokens = Tokens.of(resource)

  /** What is answered to `method` at `path`, whose segments are given as they are.
    *
    * @param refused gives the answer in the place of an error to some statuses; its second argument is whether the same
    *                was asked before, and an answer may have been lost
    */
  def ask(
      method: String,
      path: Seq[String],
      query: Map[String, String] = Map.empty,
      headers: Map[String, String] = Map.empty,
      body: Array[Byte] = Array.emptyByteArray,
      refused: PartialFunction[(Int, Boolean), Array[Byte]] = PartialFunction.empty
  ): Array[Byte] = {
    val target = uri(path, query)
    val until = System.nanoTime + patience.toNanos
    var pause, tries = 0
    while (true) {
      tries += 1
      val problem =
        try {
          val answer = send(method, target, headers, body)
          answer.statusCode match {
            case status if status < 300 => return answer.body
            case status if refused.isDefinedAt(status -> (tries > 1)) => return refused(status -> (tries > 1))
            case 503 => message(answer)
            case status => throw failure(status, message(answer))
          }
        } catch {
          // Its certificate will not be another one in a moment.
          case error: SSLHandshakeException if Service.isDistrusted(error) => throw new IOException(s"$base: ${error.getMessage}", error)
          case error: InterruptedIOException => throw error
          case error: IOException if Service.isAway(error) => Option(error.getMessage).getOrElse(error.getClass.getName)
        }
      pause = (pause * 2).max(100).min(5000)
      if (System.nanoTime + pause * 1000000L > until) {
        throw new IOException(s"The storage service $base has not answered for ${patience.toSeconds} seconds: $problem")
      }
      Service.sleep(pause)
    }
    throw new IllegalStateException
  }

  /** An answer in JSON, line by line. */
  def entries(path: Seq[String]): Iterator[JsonNode] = {
    val lines = Service.Json.readerFor(classOf[JsonNode]).readValues[JsonNode](ask("GET", path))
    Iterator.unfold(())(_ => Option.when(lines.hasNextValue)(lines.nextValue() -> ()))
  }

  private def send(method: String, target: URI, headers: Map[String, String], body: Array[Byte]) = {
    var answer = once(method, target, headers, body, tokens.current())
    // It may have been revoked, or its signing key is gone.
    if (answer.statusCode == 401) answer = once(method, target, headers, body, tokens.renewed())
    answer
  }

  private def once(method: String, target: URI, headers: Map[String, String], body: Array[Byte], token: String) = {
    val publisher =
      if (body.isEmpty && method != "PUT") HttpRequest.BodyPublishers.noBody
      else HttpRequest.BodyPublishers.ofByteArray(body)
    val request = HttpRequest.newBuilder(target).method(method, publisher).timeout(Service.Longest)
    request.header("Authorization", s"Bearer $token")
    if (method == "PUT") request.header("Content-Type", "application/octet-stream")
    headers.foreach { case (name, value) => request.header(name, value) }
    try client.send(request.build(), HttpResponse.BodyHandlers.ofByteArray())
    catch {
      case _: InterruptedException =>
        Thread.currentThread.interrupt()
        throw new InterruptedIOException(s"interrupted while $base was asked")
    }
  }

  private def uri(path: Seq[String], query: Map[String, String]): URI = {
    val asked = query.map { case (name, value) => s"$name=${Service.encoded(value)}" }.mkString("&")
    URI.create(s"$base/${path.map(Service.encoded).mkString("/")}" + (if (asked.isEmpty) "" else s"?$asked"))
  }

  private def message(answer: HttpResponse[Array[Byte]]): String =
    try Service.Json.readTree(answer.body).path("msg").asText(s"status ${answer.statusCode}")
    catch { case _: IOException => s"status ${answer.statusCode}" }

  private def failure(status: Int, said: String): IOException = status match {
    case 404 => new FileNotFoundException(said)
    case 401 | 403 => new AccessControlException(s"The storage service refuses this job: $said")
    case 412 => new FileAlreadyExistsException(said)
    case _ => new IOException(said)
  }
}

object Service {
  private[filesystem] val Json = new ObjectMapper()
  private val clients = new ConcurrentHashMap[String, HttpClient]()

  /** A large copy inside a store may take so long. */
  private val Longest = Duration.ofMinutes(30)

  def of(conf: Configuration): Option[Service] =
    Option(conf.get(Keys.Service)).map { base =>
      val patience = Duration.ofSeconds(conf.getTimeDuration(Keys.Patience, 120, java.util.concurrent.TimeUnit.SECONDS))
      val client = clients.computeIfAbsent(conf.get(Keys.Authorities, ""), connected(_))
      new Service(base, conf.get(Keys.Resource), patience, client)
    }

  private[filesystem] def connected(authorities: String): HttpClient = {
    val client = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).connectTimeout(Duration.ofSeconds(10))
    if (authorities.nonEmpty) client.sslContext(trusting(authorities))
    client.build()
  }

  private[filesystem] def encoded(text: String): String = URLEncoder.encode(text, UTF_8).replace("+", "%20")

  private[filesystem] def sleep(milliseconds: Int): Unit =
    try Thread.sleep(milliseconds)
    catch {
      case _: InterruptedException =>
        Thread.currentThread.interrupt()
        throw new InterruptedIOException("interrupted while the storage service was waited for")
    }

  // A handshake may also end because the other side does.
  private def isDistrusted(error: SSLHandshakeException): Boolean =
    Iterator.iterate[Throwable](error)(_.getCause).takeWhile(_ != null).exists(_.isInstanceOf[GeneralSecurityException])

  // What the kernel or the other side cuts off, and no mistake of ours.
  private def isAway(error: IOException): Boolean =
    !error.isInstanceOf[FileNotFoundException] && !error.isInstanceOf[PathIOException] &&
      !error.isInstanceOf[AccessControlException] && error.getClass.getPackageName.startsWith("java")

  /** The deployment's own authorities, and those that Java trusts: a proxy may stand before it. */
  private def trusting(authorities: String): SSLContext = {
    val store = KeyStore.getInstance(KeyStore.getDefaultType)
    store.load(null, null)
    val known = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm)
    known.init(null: KeyStore)
    val issuers = known.getTrustManagers.collect { case trusted: X509TrustManager => trusted.getAcceptedIssuers }.flatten
    issuers.zipWithIndex.foreach { case (issuer, number) => store.setCertificateEntry(s"known-$number", issuer) }
    val factory = CertificateFactory.getInstance("X.509")
    for ((encoded, number) <- authorities.split(',').zipWithIndex) {
      val certificate = new ByteArrayInputStream(Base64.getDecoder.decode(encoded))
      store.setCertificateEntry(s"authority-$number", factory.generateCertificate(certificate))
    }
    val managers = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm)
    managers.init(store)
    val context = SSLContext.getInstance("TLS")
    context.init(null, managers.getTrustManagers, null)
    context
  }
}
