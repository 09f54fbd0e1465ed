package headland.filesystem

import java.io.OutputStream

import org.apache.hadoop.fs.FSInputStream

/** A blob or folder of a container.
  *
  * @param path within the container, without slashes at its ends; empty for the container itself
  * @param size in bytes; 0 for a folder
  * @param modified in milliseconds since 1970, UTC; 0 where nobody knows
  * @param etag changes whenever the content does; empty for a folder
  */
final case class Entry(path: String, folder: Boolean, size: Long, modified: Long, etag: String = "")

/** A stream that is a blob once it is closed, and nothing where it is aborted. */
abstract class BlobOutput extends OutputStream {

  /** Forget what was written. Nothing that was there before is changed. */
  def abort(): Unit
}

/** Where a container's blobs are. Paths are as in `Entry`. Methods throw an `IOException` of the kind that Hadoop's
  * specification of file systems gives, with a message that names the path.
  */
trait Store {

  /** What is there; `FileNotFoundException` if nothing is. */
  def status(path: String): Entry

  /** What a folder has, page by page, each in the order of names. */
  def children(path: String): Iterator[Seq[Entry]]

  /** A blob's bytes. */
  def open(entry: Entry): FSInputStream

  /** A blob in the making. What has its name is replaced, if `overwrite` says so. */
  def create(path: String, overwrite: Boolean): BlobOutput

  /** Go on with a blob; `UnsupportedOperationException` where the store can't. */
  def append(path: String): OutputStream

  def appends: Boolean

  /** Whether a stream can show what was written so far. */
  def syncs: Boolean

  /** Make a folder and those above it; one that is there will do. */
  def makeFolder(path: String): Unit

  /** Give a blob or folder another name, in a folder that is there. What has the name is replaced if `overwrite` says
    * so and it is a blob or an empty folder; else `FileAlreadyExistsException`.
    */
  def rename(from: Entry, to: String, overwrite: Boolean): Unit

  /** Remove a blob, or a folder with all that it has. */
  def delete(entry: Entry): Unit
}
