package headland.filesystem

import java.io.{IOException, InterruptedIOException}
import java.net.URI
import java.net.http.{HttpClient, HttpRequest, HttpResponse}
import java.nio.charset.StandardCharsets.UTF_8
import java.time.Duration
import java.util
import java.util.concurrent.ConcurrentHashMap

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.io.Text
import org.apache.hadoop.security.{AccessControlException, Credentials, UserGroupInformation}
import org.apache.hadoop.security.token.{Token, TokenIdentifier}
import org.apache.spark.{SparkConf, SparkException}
import org.apache.spark.api.plugin.{DriverPlugin, ExecutorPlugin, PluginContext, SparkPlugin}
import org.apache.spark.security.HadoopDelegationTokenProvider

/** An access token, and when it is over, in milliseconds since 1970. */
final case class AccessToken(text: String, expires: Long) {
  // Nobody's log.
  override def toString: String = s"AccessToken(***, $expires)"
}

/** Tokens for the storage service: those of the job's own identity where it has an endpoint for them (the driver), else
  * what Spark has spread of them (executors).
  */
final class Tokens private (resource: String) {
  private var kept = Option.empty[AccessToken]

  def current(): String = synchronized {
    val now = System.currentTimeMillis
    if (!kept.exists(_.expires - Tokens.Early > now)) kept = Some(fetch())
    kept.get.text
  }

  /** Another one than the last, if there is one. */
  def renewed(): String = synchronized {
    kept = None
    current()
  }

  /** One that is still good for a while. */
  def token(): AccessToken = synchronized {
    current()
    kept.get
  }

  private def fetch(): AccessToken =
    if (Identity.isHere) Identity.token(resource)
    else
      Tokens.spread(resource).orElse(Tokens.ofDriver(resource)).getOrElse {
        throw new AccessControlException(
          "This job has no identity for cluster storage: neither IDENTITY_ENDPOINT and IDENTITY_HEADER are set, nor " +
            "has Spark been given a token for it.")
      }
}

object Tokens {
  private val all = new ConcurrentHashMap[String, Tokens]()

  /** Milliseconds before its end in which a token is not used for something new. */
  private val Early = 60000L
  private[filesystem] val Kind = new Text("HEADLAND_ACCESS_TOKEN")

  def of(resource: String): Tokens = all.computeIfAbsent(resource, new Tokens(_))

  /** The token among those that Hadoop keeps of this user. */
  private def spread(resource: String): Option[AccessToken] = {
    val found = UserGroupInformation.getCurrentUser.getCredentials.getToken(new Text(resource))
    Option(found).filter(_.getKind == Kind).map { token =>
      AccessToken(new String(token.getPassword, UTF_8), new String(token.getIdentifier, UTF_8).toLong)
    }
  }

  /** What an executor asks its driver by, where Spark spreads no tokens. */
  @volatile private[filesystem] var driver = Option.empty[PluginContext]

  private def ofDriver(resource: String): Option[AccessToken] =
    driver.map { context =>
      try context.ask(TokenRequest(resource)).asInstanceOf[AccessToken]
      catch {
        case error: SparkException => throw new AccessControlException(s"The driver gives no token: ${error.getMessage}")
      }
    }

  private[filesystem] def spreadable(resource: String, token: AccessToken): Token[TokenIdentifier] =
    new Token[TokenIdentifier](
      token.expires.toString.getBytes(UTF_8), token.text.getBytes(UTF_8), Kind, new Text(resource))
}

/** The job's own identity: the endpoint of managed identities that its environment names.
  *
  * https://learn.microsoft.com/azure/app-service/overview-managed-identity#rest-endpoint-reference
  */
private object Identity {
  private def endpoint = Option(System.getenv("IDENTITY_ENDPOINT")).filter(_.nonEmpty)
  private def header = Option(System.getenv("IDENTITY_HEADER")).filter(_.nonEmpty)
  private lazy val client = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build()

  def isHere: Boolean = endpoint.isDefined && header.isDefined

  /** @throws IOException the endpoint does not give one */
  def token(resource: String): AccessToken = {
    val asked = s"${endpoint.get}?api-version=2019-08-01&resource=${Service.encoded(resource)}"
    val request = HttpRequest.newBuilder(URI.create(asked)).header("X-IDENTITY-HEADER", header.get)
    val answer =
      try client.send(request.timeout(Duration.ofMinutes(3)).build(), HttpResponse.BodyHandlers.ofByteArray())
      catch {
        case _: InterruptedException =>
          Thread.currentThread.interrupt()
          throw new InterruptedIOException("interrupted while a token was asked for")
      }
    if (answer.statusCode != 200) {
      throw new AccessControlException(
        s"This job's identity gives no token for $resource: status ${answer.statusCode}")
    }
    val said = Service.Json.readTree(answer.body)
    AccessToken(said.path("access_token").asText, said.path("expires_on").asLong * 1000)
  }
}

/** What an executor asks for. */
final case class TokenRequest(resource: String)

/** Has executors ask their driver for tokens, over Spark's own connection to it: for cluster managers by which Spark
  * spreads none (standalone).
  */
final class TokenPlugin extends SparkPlugin {
  override def driverPlugin(): DriverPlugin = new DriverPlugin {
    override def receive(message: AnyRef): AnyRef = message match {
      case TokenRequest(resource) => Tokens.of(resource).token()
    }
  }

  override def executorPlugin(): ExecutorPlugin = new ExecutorPlugin {
    override def init(context: PluginContext, extra: util.Map[String, String]): Unit = Tokens.driver = Some(context)

    override def shutdown(): Unit = Tokens.driver = None
  }
}

/** Has Spark spread the job's token to executors, and renew it: found by its name in `META-INF/services`. */
final class TokenProvider extends HadoopDelegationTokenProvider {
  override def serviceName: String = "headland"

  override def delegationTokensRequired(spark: SparkConf, hadoop: Configuration): Boolean =
    Identity.isHere && hadoop.get(Keys.Service) != null

  override def obtainDelegationTokens(
      hadoop: Configuration, spark: SparkConf, credentials: Credentials): Option[Long] = {
    val resource = hadoop.get(Keys.Resource)
    val token = Identity.token(resource)
    credentials.addToken(new Text(resource), Tokens.spreadable(resource, token))
    Some(token.expires)
  }
}
