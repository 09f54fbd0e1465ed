package headland.filesystem

import java.io.{FileNotFoundException, IOException}
import java.net.URI
import java.nio.charset.StandardCharsets.UTF_8
import java.nio.file.{Files, Path => File}
import java.util.NoSuchElementException

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs._
import org.apache.hadoop.fs.Options.Rename
import org.apache.hadoop.fs.permission.FsPermission
import org.apache.hadoop.security.UserGroupInformation
import org.apache.hadoop.util.Progressable

/** Cluster storage as a Hadoop file system: `wasbs`, `wasb`, `abfs` and `abfss`, each as
  * `<scheme>://<container>@<account>/<path>` and, for the defaults, `<scheme>:///<path>`.
  *
  * Files are blobs. One that is being written is there under its name when it is closed, whole. Renaming follows HDFS:
  * into a folder that is there, onto nothing that is there.
  */
class ClusterFileSystem extends FileSystem {
  private var url: URI = _
  private var store: Store = _
  private var owner: String = _
  private var working: Path = _
  private var blockSize: Long = _

  override def initialize(name: URI, conf: Configuration): Unit = {
    super.initialize(name, conf)
    setConf(conf)
    val authority = Option(name.getAuthority).getOrElse("")
    url = URI.create(s"${name.getScheme}://$authority/")
    store = Stores.of(Names.container(name, conf), conf)
    owner = UserGroupInformation.getCurrentUser.getShortUserName
    blockSize = conf.getLongBytes(Keys.BlockSize, 128L << 20)
    working = getHomeDirectory
  }

  override def getScheme: String = Option(url).fold("wasbs")(_.getScheme)

  override def getUri: URI = url

  override def getDefaultBlockSize: Long = blockSize

  override def getWorkingDirectory: Path = working

  override def setWorkingDirectory(folder: Path): Unit = working = fixRelativePart(folder)

  override def getFileStatus(path: Path): FileStatus = shown(store.status(within(path)))

  override def listStatus(path: Path): Array[FileStatus] = {
    val entry = store.status(within(path))
    if (entry.folder) store.children(entry.path).flatten.map(shown).toArray else Array(shown(entry))
  }

  override def listStatusIterator(path: Path): RemoteIterator[FileStatus] = {
    val entry = store.status(within(path))
    val found = if (entry.folder) store.children(entry.path).flatten else Iterator.single(entry)
    new RemoteIterator[FileStatus] {
      override def hasNext: Boolean = found.hasNext
      override def next(): FileStatus =
        if (found.hasNext) shown(found.next()) else throw new NoSuchElementException(s"no more in $path")
    }
  }

  override protected def listLocatedStatus(path: Path, filter: PathFilter): RemoteIterator[LocatedFileStatus] = {
    val found = listStatusIterator(path)
    val wanted = Iterator.unfold(())(_ => Option.when(found.hasNext)(found.next() -> ())).filter { status =>
      filter.accept(status.getPath)
    }
    new RemoteIterator[LocatedFileStatus] {
      override def hasNext: Boolean = wanted.hasNext
      override def next(): LocatedFileStatus = {
        val status = wanted.next()
        new LocatedBlobStatus(status, if (status.isFile) getFileBlockLocations(status, 0, status.getLen) else null)
      }
    }
  }

  override def open(path: Path, bufferSize: Int): FSDataInputStream = {
    val entry = store.status(within(path))
    if (entry.folder) throw new FileNotFoundException(s"$path is a folder, not a file")
    new FSDataInputStream(store.open(entry))
  }

  override def create(
      path: Path,
      permission: FsPermission,
      overwrite: Boolean,
      bufferSize: Int,
      replication: Short,
      blockSize: Long,
      progress: Progressable
  ): FSDataOutputStream = {
    val named = within(path)
    statusOf(named) match {
      case Some(entry) if entry.folder => throw new FileAlreadyExistsException(s"$path is a folder")
      case Some(_) if !overwrite => throw new FileAlreadyExistsException(s"$path is there already")
      case Some(_) =>
      case None => checkAbove(named).foreach(store.makeFolder)
    }
    new FSDataOutputStream(store.create(named, overwrite), statistics)
  }

  override def createNonRecursive(
      path: Path,
      permission: FsPermission,
      flags: java.util.EnumSet[CreateFlag],
      bufferSize: Int,
      replication: Short,
      blockSize: Long,
      progress: Progressable
  ): FSDataOutputStream = {
    val above = parentOf(within(path))
    above.foreach { folder =>
      if (!store.status(folder).folder) throw new ParentNotDirectoryException(s"${pathOf(folder)} is no folder")
    }
    create(path, permission, flags.contains(CreateFlag.OVERWRITE), bufferSize, replication, blockSize, progress)
  }

  override def append(path: Path, bufferSize: Int, progress: Progressable): FSDataOutputStream = {
    val entry = store.status(within(path))
    if (entry.folder) throw new FileAlreadyExistsException(s"$path is a folder")
    new FSDataOutputStream(store.append(entry.path), statistics, entry.size)
  }

  override def mkdirs(path: Path, permission: FsPermission): Boolean = {
    val named = within(path)
    statusOf(named) match {
      case Some(entry) if entry.folder =>
      case Some(_) => throw new FileAlreadyExistsException(s"$path is a file")
      case None =>
        checkAbove(named)
        store.makeFolder(named)
    }
    true
  }

  override def rename(from: Path, to: Path): Boolean = {
    val (source, named) = (statusOf(within(from)), within(to))
    source.filter(_.path.nonEmpty).exists { entry =>
      val target = statusOf(named)
      val wanted = target.filter(_.folder).fold(named) { folder => join(folder.path, entry.path.split('/').last) }
      if (target.exists(there => !there.folder && there.path == entry.path)) true
      else if (wanted == entry.path || entry.folder && s"$wanted/".startsWith(s"${entry.path}/")) false
      else if (target.isDefined && (wanted == named || statusOf(wanted).isDefined)) false
      else if (target.isEmpty && !parentOf(named).forall(folder => statusOf(folder).exists(_.folder))) false
      else
        try {
          store.rename(entry, wanted, overwrite = false)
          true
        } catch { case _: FileAlreadyExistsException => false } // somebody was faster
    }
  }

  @deprecated("as in Hadoop", "")
  override protected def rename(from: Path, to: Path, options: Rename*): Unit =
    move(from, to, options.contains(Rename.OVERWRITE))

  /** What FileContext does, and with it Spark's checkpoints: replaces nothing unless told, and at one stroke. */
  private[filesystem] def move(from: Path, to: Path, overwrite: Boolean): Unit = {
    val (entry, named) = (store.status(within(from)), within(to))
    if (entry.path.isEmpty || named.isEmpty) throw new IOException(s"a container can't be renamed: $from to $to")
    if (named == entry.path) throw new FileAlreadyExistsException(s"$from and $to are the same")
    if (entry.folder && named.startsWith(s"${entry.path}/")) throw new IOException(s"$to is in $from")
    parentOf(named).foreach { folder =>
      if (!store.status(folder).folder) throw new ParentNotDirectoryException(s"${pathOf(folder)} is no folder")
    }
    statusOf(named).foreach { target =>
      if (target.folder != entry.folder) throw new IOException(s"one is a folder and one a file: $from and $to")
      if (!overwrite) throw new FileAlreadyExistsException(s"$to is there already")
      if (target.folder && !isEmpty(target)) throw new PathIsNotEmptyDirectoryException(to.toString)
    }
    store.rename(entry, named, overwrite)
  }

  override def delete(path: Path, recursive: Boolean): Boolean =
    statusOf(within(path)).exists { entry =>
      if (entry.folder && !recursive && !isEmpty(entry)) throw new PathIsNotEmptyDirectoryException(path.toString)
      // A container is not for its files' owner to remove.
      val removes = entry.path.nonEmpty
      if (removes) store.delete(entry)
      removes
    }

  override def hasPathCapability(path: Path, capability: String): Boolean =
    capability.toLowerCase match {
      case CommonPathCapabilities.FS_APPEND => store.appends
      case CommonPathCapabilities.ETAGS_AVAILABLE => true
      case _ => super.hasPathCapability(path, capability)
    }

  private def within(path: Path): String = {
    checkPath(path)
    Names.within(makeQualified(path))
  }

  private def statusOf(named: String): Option[Entry] =
    try Some(store.status(named))
    catch { case _: FileNotFoundException => None }

  /** Nothing can be made below a file. The folder that something is to be in, where it is still to be made. */
  private def checkAbove(named: String): Option[String] = {
    val folder = parentOf(named).filter(_.nonEmpty)
    var above = folder
    while (above.exists(_.nonEmpty)) {
      statusOf(above.get) match {
        case Some(entry) if entry.folder => return folder.filter(_ != entry.path)
        case Some(entry) => throw new ParentNotDirectoryException(s"${pathOf(entry.path)} is a file, not a folder")
        case None => above = parentOf(above.get)
      }
    }
    folder
  }

  private def isEmpty(folder: Entry): Boolean = store.children(folder.path).forall(_.isEmpty)

  private def parentOf(named: String): Option[String] =
    if (named.isEmpty) None else Some(named.substring(0, named.lastIndexOf('/').max(0)))

  private def join(folder: String, name: String): String = if (folder.isEmpty) name else s"$folder/$name"

  // By its parts: a name with a colon would be taken for a URL.
  private def pathOf(named: String): Path = new Path(url.getScheme, url.getAuthority, s"/$named")

  private def shown(entry: Entry): FileStatus =
    new BlobStatus(entry, blockSize, owner, pathOf(entry.path))
}

/** A file's status with the tag that changes with its content. */
private final class BlobStatus(entry: Entry, blockSize: Long, owner: String, path: Path)
    extends FileStatus(
      entry.size,
      entry.folder,
      1,
      if (entry.folder) 0 else blockSize,
      entry.modified,
      entry.modified,
      if (entry.folder) FsPermission.getDirDefault else FsPermission.getFileDefault,
      owner,
      owner,
      path
    )
    with EtagSource {
  override def getEtag: String = entry.etag
}

private final class LocatedBlobStatus(status: FileStatus, blocks: Array[BlockLocation])
    extends LocatedFileStatus(status, blocks)
    with EtagSource {
  override def getEtag: String = status.asInstanceOf[EtagSource].getEtag
}

/** The same for applications that go through FileContext. */
class ClusterFiles(name: URI, conf: Configuration)
    extends DelegateToFileSystem(name, new ClusterFileSystem, conf, name.getScheme, false) {

  override def renameInternal(from: Path, to: Path, overwrite: Boolean): Unit =
    fsImpl.asInstanceOf[ClusterFileSystem].move(from, to, overwrite)
}

private object Stores {
  private lazy val machine =
    if (System.getProperty("os.name") == "Linux") Files.readString(File.of("/proc/sys/kernel/random/boot_id")).trim
    else {
      val asked = new ProcessBuilder("/usr/sbin/sysctl", "-n", "kern.boottime").start()
      new String(asked.getInputStream.readAllBytes(), UTF_8).trim
    }

  /** By an account's folder where this machine has it, else by the storage service. */
  def of(container: Container, conf: Configuration): Store = {
    val folder = Option(conf.get(Keys.Folder + container.account)).map(File.of(_))
    folder.filter(_ => conf.get(Keys.Machine) == machine).filter(Files.isDirectory(_)) match {
      case Some(here) => new FolderStore(here, container)
      case None =>
        val service = Service.of(conf).getOrElse {
          throw new IOException(s"There is no storage account '${container.account}' here, and ${Keys.Service} is not set.")
        }
        new ServiceStore(service, container)
    }
  }
}
