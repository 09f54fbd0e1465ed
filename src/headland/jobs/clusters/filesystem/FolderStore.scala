package headland.filesystem

import java.io.{FileNotFoundException, IOException, OutputStream}
import java.nio.channels.FileChannel
import java.nio.file.{Path => File, _}
import java.nio.file.LinkOption.NOFOLLOW_LINKS
import java.nio.file.attribute.BasicFileAttributes
import java.util.UUID

import org.apache.hadoop.fs.{FileAlreadyExistsException => TakenException, FSInputStream, ParentNotDirectoryException,
  PathIOException, PathIsNotEmptyDirectoryException}
import org.apache.hadoop.security.AccessControlException

import scala.jdk.CollectionConverters._

/** A container of an account that is a folder of this machine, kept as `headland/storage/local` keeps it: a file each
  * blob, by its own name; what is being written grows in `.uploads` and is moved into place at one stroke; links are
  * followed as far as they stay in the account.
  */
final class FolderStore(account: File, container: Container) extends Store {
  private val root =
    try account.toRealPath()
    catch {
      case _: NoSuchFileException =>
        throw new IOException(
          s"Storage account '${container.account}' is not available: its folder is missing; is its disk mounted?")
    }
  private val base = root.resolve(container.name)
  private val uploads = root.resolve(".uploads")

  override def status(path: String): Entry = told(path) {
    entry(path, followed(path))
  }

  override def children(path: String): Iterator[Seq[Entry]] = told(path) {
    val folder = Files.newDirectoryStream(followed(path))
    val found =
      try
        folder.asScala.iterator.flatMap { file =>
          val name = file.getFileName.toString
          if (Names.nameable(name)) child(if (path.isEmpty) name else s"$path/$name", file) else None
        }.toVector
      catch { case error: DirectoryIteratorException => throw error.getCause }
      finally folder.close()
    Iterator.single(found.sortBy(_.path))
  }

  override def open(entry: Entry): FSInputStream = told(entry.path) {
    new FileInput(FileChannel.open(followed(entry.path), StandardOpenOption.READ), shown(entry.path))
  }

  override def create(path: String, overwrite: Boolean): BlobOutput = told(path) {
    place(path)
    Files.createDirectories(uploads)
    val upload = uploads.resolve(s"${UUID.randomUUID().toString.replace("-", "")}.part")
    val channel = FileChannel.open(upload, StandardOpenOption.WRITE, StandardOpenOption.CREATE_NEW)
    new FileOutput(channel, publish = told(path)(publish(upload, path, overwrite)), discard = Files.deleteIfExists(upload))
  }

  override def append(path: String): OutputStream = told(path) {
    val channel = FileChannel.open(followed(path), StandardOpenOption.WRITE, StandardOpenOption.APPEND)
    new FileOutput(channel, publish = (), discard = ())
  }

  override def appends: Boolean = true

  override def syncs: Boolean = true

  override def makeFolder(path: String): Unit = told(path) {
    try Files.createDirectories(place(path))
    catch { case _: FileAlreadyExistsException => throw new ParentNotDirectoryException(s"${shown(path)} is below a file") }
  }

  override def rename(from: Entry, to: String, overwrite: Boolean): Unit = told(to) {
    val (source, target) = (place(from.path), place(to))
    if (from.folder || overwrite) Files.move(source, target, StandardCopyOption.ATOMIC_MOVE)
    else {
      // rename(2) would replace a file that somebody has put there since; a second name for it does not.
      Files.createLink(target, source)
      Files.delete(source)
    }
  }

  override def delete(entry: Entry): Unit = told(entry.path) {
    val file = place(entry.path)
    if (entry.folder && !Files.isSymbolicLink(file)) {
      val below = Files.walk(file)
      try below.iterator.asScala.toVector.reverseIterator.foreach(Files.deleteIfExists(_))
      finally below.close()
    } else Files.deleteIfExists(file)
  }

  private def publish(upload: File, path: String, overwrite: Boolean): Unit = {
    var tries = 20
    while (true) {
      try {
        val target = place(path)
        Files.createDirectories(target.getParent)
        if (overwrite) Files.move(upload, target, StandardCopyOption.ATOMIC_MOVE)
        else {
          Files.createLink(target, upload)
          Files.delete(upload)
        }
        return
      } catch {
        // A delete elsewhere may remove a folder it has emptied, which is the one we were about to fill.
        case _: NoSuchFileException if tries > 0 && Files.exists(upload) => tries -= 1
      }
    }
  }

  private def child(path: String, file: File): Option[Entry] =
    try {
      val found = Files.readAttributes(file, classOf[BasicFileAttributes], NOFOLLOW_LINKS)
      if (found.isDirectory || found.isRegularFile) Some(entry(path, found))
      // Links to folders are not shown, since they may go in circles.
      else if (found.isSymbolicLink) Some(entry(path, followed(path))).filterNot(_.folder)
      else None
    } catch {
      // Gone since its name was read, a link that leads nowhere or out of the account, or a device.
      case _: NoSuchFileException | _: FileNotFoundException | _: PathIOException => None
    }

  private def entry(path: String, file: File): Entry =
    entry(path, Files.readAttributes(file, classOf[BasicFileAttributes], NOFOLLOW_LINKS))

  private def entry(path: String, found: BasicFileAttributes): Entry = {
    val modified = found.lastModifiedTime
    if (found.isDirectory) Entry(path, folder = true, 0, modified.toMillis)
    else if (found.isRegularFile) {
      val nanoseconds = modified.to(java.util.concurrent.TimeUnit.NANOSECONDS)
      val inode = Option(found.fileKey).fold("")(key => "ino=(\\d+)".r.findFirstMatchIn(key.toString).fold("")(_.group(1)))
      val tag = Seq(nanoseconds, found.size).map(java.lang.Long.toHexString) ++ inode.toLongOption.map(_.toHexString)
      Entry(path, folder = false, found.size, modified.toMillis, tag.mkString("\"", "-", "\""))
    } else throw new FileNotFoundException(s"${shown(path)} is a special file, not a blob")
  }

  /** Where a name is, whatever it is that has it. */
  private def place(path: String): File = {
    if (path.isEmpty) return base
    val named = base.resolve(path)
    // The folders above may still have to be made.
    var there = named.getParent
    while (!Files.exists(there, NOFOLLOW_LINKS)) there = there.getParent
    inside(path, there.toRealPath()).resolve(there.relativize(named))
  }

  /** What a name leads to. */
  private def followed(path: String): File = {
    val file = place(path)
    if (Files.isSymbolicLink(file)) inside(path, file.toRealPath()) else file
  }

  private def inside(path: String, real: File): File = {
    if (!real.startsWith(root) || real.startsWith(uploads)) {
      throw new PathIOException(
        shown(path), "it leads out of its storage account by a symbolic link, which is not followed")
    }
    real
  }

  private def shown(path: String): String = s"wasbs://${container.name}@${container.account}/$path"

  /** Run `work`, with what an operating system says translated into what Hadoop wants to hear. */
  private def told[T](path: String)(work: => T): T =
    try work
    catch {
      case _: NoSuchFileException if !Files.isDirectory(base) =>
        throw new FileNotFoundException(s"There is no container $container.")
      case _: NoSuchFileException => throw new FileNotFoundException(s"There is no blob or folder ${shown(path)}.")
      case _: FileAlreadyExistsException => throw new TakenException(s"${shown(path)} is there already")
      case _: DirectoryNotEmptyException => throw new PathIsNotEmptyDirectoryException(shown(path))
      case _: AccessDeniedException => throw new AccessControlException(s"${shown(path)}: permission denied")
      case error: InvalidPathException =>
        throw new PathIOException(shown(path), s"${error.getReason}; is the JVM's locale one of UTF-8?")
      case error: FileSystemException =>
        throw error.getReason match {
          case "Not a directory" => new FileNotFoundException(s"There is no blob or folder ${shown(path)}.")
          case "Is a directory" => new TakenException(s"${shown(path)} is a folder")
          case "Directory not empty" => new PathIsNotEmptyDirectoryException(shown(path))
          case reason => new PathIOException(shown(path), reason)
        }
    }
}
