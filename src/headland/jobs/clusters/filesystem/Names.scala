package headland.filesystem

import java.io.IOException
import java.net.URI

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.{Path, PathIOException}

/** A container of a storage account: what the authority of a URL names. */
final case class Container(account: String, name: String) {
  override def toString: String = s"'$name' in account '$account'"
}

/** What accounts, containers and blobs may be called: the rules of `headland/storage/names.py` and `urls.py`, so that
  * whatever Spark writes can be named by everybody else.
  */
object Names {
  private val Account = "[a-z0-9]{3,24}"
  private val ContainerName = "(?=[a-z0-9-]{3,63}$)[a-z0-9]+(?:-[a-z0-9]+)*|\\$root|\\$web|\\$logs"
  private val Endings = Seq(".blob.core.windows.net", ".dfs.core.windows.net")
  private val LongestPath = 1024
  private val MostSegments = 254
  private val Forbidden = Map('\\' -> "a backslash", '?' -> "a '?'", '#' -> "a '#'")

  /** The container that a URL names; one without authority names the default one. */
  def container(url: URI, conf: Configuration): Container = {
    val authority = url.getAuthority
    if (authority == null || authority.isEmpty) {
      return Container(conf.get(Keys.DefaultAccount, "headland"), conf.get(Keys.DefaultContainer, "default"))
    }
    val at = authority.lastIndexOf('@')
    if (at <= 0) throw refused(url, s"it names no container: write ${url.getScheme}://<container>@<account>/<path>")
    val (name, host) = (authority.substring(0, at), authority.substring(at + 1))
    val account = Endings.find(host.endsWith(_)).fold(host)(host.stripSuffix(_))
    if (!name.matches(ContainerName)) {
      throw refused(url, s"'$name' is no container name, which is 3 to 63 of a-z, 0-9 and single hyphens between them, " +
        "or $root, $web or $logs")
    }
    if (!account.matches(Account)) throw refused(url, s"'$account' is no account name, which is 3 to 24 of a-z and 0-9")
    Container(account, name)
  }

  /** The path of a blob or folder within its container, without slashes at its ends; empty for the container itself.
    *
    * @throws PathIOException nothing can be called that
    */
  def within(path: Path): String = {
    val named = path.toUri.getPath.stripPrefix("/").stripSuffix("/")
    val problem = if (named.isEmpty) None else problemOf(named)
    problem.foreach(wrong => throw new PathIOException(path.toString, wrong))
    named
  }

  /** Whether a URL could name an entry of a folder. */
  def nameable(name: String): Boolean = segmentProblem(name).isEmpty

  private def problemOf(named: String): Option[String] = {
    val segments = named.split("/", -1)
    if (named.codePointCount(0, named.length) > LongestPath) Some(s"its path is longer than $LongestPath characters")
    else if (segments.length > MostSegments) Some(s"its path has more than $MostSegments segments")
    else segments.iterator.flatMap(segmentProblem(_)).nextOption()
  }

  private def segmentProblem(segment: String): Option[String] = {
    if (segment.isEmpty) Some("its path has an empty segment")
    else if (segment == "." || segment == "..") Some(s"its path has a segment '$segment'")
    else segment.codePoints().toArray.iterator.flatMap(characterProblem(_)).nextOption()
  }

  private def characterProblem(character: Int): Option[String] =
    Character.getType(character).toByte match {
      case Character.CONTROL | Character.SURROGATE => Some(f"it has the control character U+$character%04X in a name")
      case _ => Forbidden.get(character.toChar).filter(_ => character < 128).map(what => s"it has $what in a name")
    }

  private def refused(url: URI, problem: String): IOException = new PathIOException(url.toString, problem)
}

/** Hadoop configuration that this file system reads; the launcher sets it (`filesystem/configuration.py`). */
object Keys {
  val DefaultAccount = "fs.headland.default.account"
  val DefaultContainer = "fs.headland.default.container"

  /** With an account's name after it: the folder that has the account's containers, on the machine named below. */
  val Folder = "fs.headland.folder."

  /** The boot of a machine, as `headland/jobs/runner/processes.py` tells it from every other. */
  val Machine = "fs.headland.machine"

  /** Base URL of the storage service, for accounts without a folder. */
  val Service = "fs.headland.service"

  /** Certificates that the service may be signed by besides those that Java trusts: DER in base 64, with commas. */
  val Authorities = "fs.headland.service.authorities"

  /** What tokens for the service are asked for. */
  val Resource = "fs.headland.service.resource"

  /** Seconds for which a service that is away is waited for. */
  val Patience = "fs.headland.service.patience"
  val BlockSize = "fs.headland.block.size"
}
