package headland.filesystem

import java.io.{EOFException, FileNotFoundException, InputStream, InterruptedIOException, IOException, OutputStream}
import java.nio.{Buffer, ByteBuffer}
import java.util
import java.util.UUID
import java.util.concurrent.{CompletableFuture, CompletionException, Executors, ThreadFactory}
import java.util.concurrent.atomic.AtomicInteger
import java.util.function.IntFunction

import com.fasterxml.jackson.databind.JsonNode
import org.apache.hadoop.fs.{FileRange, FSExceptionMessages, FSInputStream, StreamCapabilities, VectoredReadUtils}

import scala.collection.mutable
import scala.jdk.CollectionConverters._

/** A container as the storage service has it, whatever its account is kept in. */
final class ServiceStore(service: Service, container: Container) extends Store {

  override def status(path: String): Entry =
    entry(Service.Json.readTree(service.ask("GET", at("entries", path))))

  override def children(path: String): Iterator[Seq[Entry]] =
    service.entries(at("children", path)).map(entry).grouped(1000)

  override def open(entry: Entry): FSInputStream = {
    val linked = new LinkedBlob(service, at("links", entry.path), entry, shown(entry.path))
    new ServiceInput(entry, span(entry, _, _), linked, shown(entry.path))
  }

  override def create(path: String, overwrite: Boolean): BlobOutput = new ServiceOutput(new Upload(path, overwrite))

  override def append(path: String): OutputStream =
    throw new UnsupportedOperationException(s"${shown(path)}: the storage service can't append to a blob")

  override def appends: Boolean = false

  override def syncs: Boolean = false

  override def makeFolder(path: String): Unit = service.ask("PUT", at("entries", path))

  override def rename(from: Entry, to: String, overwrite: Boolean): Unit = {
    val wanted = Service.Json.createObjectNode().put("source", from.path).put("replace", overwrite)
    service.ask("POST", at("entries", to), body = Service.Json.writeValueAsBytes(wanted), refused = {
      // It was done, and the answer was lost.
      case (404 | 412, true) if isThere(to) && !isThere(from.path) => Array.emptyByteArray
    })
  }

  override def delete(entry: Entry): Unit =
    service.ask("DELETE", at("entries", entry.path), Map("recursive" -> "true"), refused = {
      case (404, _) => Array.emptyByteArray
    })

  private def isThere(path: String): Boolean =
    try {
      status(path)
      true
    } catch { case _: FileNotFoundException => false }

  /** Bytes of a blob that is still what it was. */
  private def span(entry: Entry, from: Long, length: Int): Array[Byte] = {
    val wanted = Map("Range" -> s"bytes=$from-${from + length - 1}") ++ Option(entry.etag).filter(_.nonEmpty).map("If-Match" -> _)
    val found = service.ask("GET", blob(entry.path), headers = wanted, refused = {
      case (412, _) => throw new IOException(s"${shown(entry.path)} has changed since it was opened")
    })
    if (found.length != length) throw new EOFException(s"${shown(entry.path)} has become shorter since it was opened")
    found
  }

  /** A blob on its way: at once if it is small, else in parts. */
  final class Upload(path: String, overwrite: Boolean) {
    private val key = UUID.randomUUID().toString.replace("-", "")

    def whole(data: Array[Byte]): Unit =
      service.ask("PUT", blob(path), headers = if (overwrite) Map.empty else Map("If-None-Match" -> "*"), body = data,
        refused = {
          // It is what we have stored, and the answer was lost.
          case (412, true) if util.Arrays.equals(service.ask("GET", blob(path)), data) => Array.emptyByteArray
        })

    def part(offset: Long, data: Array[Byte]): Unit = service.ask("PUT", parts, Map("offset" -> s"$offset"), body = data)

    def commit(size: Long): Unit =
      service.ask("POST", parts, Map("size" -> s"$size", "replace" -> s"$overwrite"), refused = {
        case (409 | 412, true) if status(path).size == size => Array.emptyByteArray
      })

    def discard(): Unit = service.ask("DELETE", parts)

    private def parts = Seq("file-system", "parts", key, container.account, container.name) ++ path.split('/')
  }

  private def entry(said: JsonNode): Entry =
    Entry(
      said.path("path").asText,
      said.path("folder").asBoolean,
      said.path("size").asLong,
      said.path("modified").asLong,
      if (said.path("etag").isTextual) quoted(said.path("etag").asText) else ""
    )

  // As the header `ETag` has it.
  private def quoted(tag: String): String = if (tag.startsWith("\"") || tag.startsWith("W/")) tag else s"\"$tag\""

  private def at(what: String, path: String) =
    Seq("file-system", what, container.account, container.name) ++ (if (path.isEmpty) Seq("") else path.split('/').toSeq)

  private def blob(path: String) = Seq(container.account, container.name) ++ path.split('/')

  private def shown(path: String): String = s"wasbs://${container.name}@${container.account}/$path"
}

/** Threads that fetch and send ahead of who reads and writes. */
private object Ahead {
  private val number = new AtomicInteger
  private val threads = Executors.newCachedThreadPool(new ThreadFactory {
    override def newThread(work: Runnable): Thread = {
      val thread = new Thread(work, s"headland-storage-${number.incrementAndGet()}")
      thread.setDaemon(true)
      thread
    }
  })

  def apply[T](work: => T): CompletableFuture[T] = {
    // Tokens are those of the user that asks.
    val user = org.apache.hadoop.security.UserGroupInformation.getCurrentUser
    val action: java.security.PrivilegedExceptionAction[T] = () => work
    CompletableFuture.supplyAsync(
      () =>
        try user.doAs(action)
        catch { case error: Exception => throw new CompletionException(error) },
      threads)
  }

  def result[T](future: CompletableFuture[T]): T =
    try future.join()
    catch {
      case error: CompletionException =>
        throw (error.getCause match {
          case cause: IOException => cause
          case cause => new IOException(cause)
        })
    }
}

/** A blob's bytes: where one comes after another, in a stream from the store itself, else in windows that grow, the next
  * ones while one is being read.
  */
final class ServiceInput(entry: Entry, fetch: (Long, Int) => Array[Byte], linked: LinkedBlob, shown: String)
    extends FSInputStream
    with StreamCapabilities {
  private var window = ByteBuffer.allocate(0)
  // Where the window ends, and how long the next one is to be.
  private var next = 0L
  private var length = ServiceInput.First
  // In order, and where the last of them ends.
  private val ahead = mutable.Queue.empty[CompletableFuture[Array[Byte]]]
  private var asked = 0L
  // The store's own answer from `next` on.
  private var stream = Option.empty[InputStream]
  private lazy val chunk = new Array[Byte](ServiceInput.Chunk)
  private var open = true

  override def getPos: Long = synchronized(next - window.remaining)

  override def seek(position: Long): Unit = synchronized {
    checkOpen()
    if (position < 0) throw new EOFException(s"${FSExceptionMessages.NEGATIVE_SEEK}: $shown")
    if (position > entry.size) throw new EOFException(s"${FSExceptionMessages.CANNOT_SEEK_PAST_EOF}: $shown")
    val start = next - window.limit()
    if (position >= start && position <= next) window.position((position - start).toInt)
    else {
      window = ByteBuffer.allocate(0)
      next = position
      length = ServiceInput.First
      ahead.clear()
      leaveStream()
    }
  }

  override def seekToNewSource(position: Long): Boolean = false

  override def available: Int = synchronized {
    checkOpen()
    (entry.size - getPos).min(Int.MaxValue.toLong).toInt
  }

  override def read(): Int = synchronized {
    checkOpen()
    if (fill()) window.get() & 0xff else -1
  }

  override def read(bytes: Array[Byte], offset: Int, count: Int): Int = synchronized {
    checkOpen()
    util.Objects.checkFromIndexSize(offset, count, bytes.length)
    if (count == 0) 0
    else if (!fill()) -1
    else {
      val taken = window.remaining.min(count)
      window.get(bytes, offset, taken)
      taken
    }
  }

  override def read(position: Long, bytes: Array[Byte], offset: Int, count: Int): Int = {
    checkOpen()
    validatePositionedReadArgs(position, bytes, offset, count)
    val taken = (entry.size - position).min(count.toLong).toInt
    if (count == 0) 0
    else if (taken <= 0) -1
    else {
      System.arraycopy(part(position, taken), 0, bytes, offset, taken)
      taken
    }
  }

  override def readFully(position: Long, bytes: Array[Byte], offset: Int, count: Int): Unit = {
    checkOpen()
    validatePositionedReadArgs(position, bytes, offset, count)
    if (position + count > entry.size) throw new EOFException(s"${FSExceptionMessages.EOF_IN_READ_FULLY}: $shown")
    if (count > 0) read(position, bytes, offset, count)
  }

  override def minSeekForVectorReads: Int = ServiceInput.First

  override def maxReadSizeForVectorReads: Int = ServiceInput.Largest

  /** All at once, those that are near to each other together. */
  override def readVectored(ranges: util.List[_ <: FileRange], allocate: IntFunction[ByteBuffer]): Unit = {
    checkOpen()
    val sorted = VectoredReadUtils.validateAndSortRanges(ranges, util.Optional.of(entry.size))
    sorted.forEach(range => range.setData(new CompletableFuture[ByteBuffer]()))
    val merged = VectoredReadUtils.mergeSortedRanges(sorted, 1, minSeekForVectorReads, maxReadSizeForVectorReads)
    for (group <- merged.asScala) Ahead {
      try {
        val data = if (group.getLength == 0) Array.emptyByteArray else part(group.getOffset, group.getLength)
        for (range <- group.getUnderlying.asScala) {
          val own = allocate.apply(range.getLength)
          own.put(data, (range.getOffset - group.getOffset).toInt, range.getLength)
          (own: Buffer).flip()
          range.getData.complete(own)
        }
      } catch {
        case error: Throwable => group.getUnderlying.forEach(range => range.getData.completeExceptionally(error))
      }
    }
  }

  override def hasCapability(capability: String): Boolean = capability.toLowerCase == StreamCapabilities.VECTOREDIO

  override def close(): Unit = synchronized {
    open = false
    window = ByteBuffer.allocate(0)
    ahead.clear()
    leaveStream()
  }

  override def toString: String = s"$shown at $getPos"

  private def fill(): Boolean = {
    if (!window.hasRemaining && next < entry.size) {
      val sequential = window.limit() > 0
      if (!sequential || !flows()) {
        val found = if (ahead.isEmpty) fetch(next, due(next)) else arrived()
        window = ByteBuffer.wrap(found)
        next += found.length
        if (ahead.isEmpty) asked = next
        if (sequential) lookAhead()
      }
    }
    window.hasRemaining
  }

  /** Whether the store's own answer has filled the window. Where it breaks off, the service goes on. */
  private def flows(): Boolean = {
    val begins = stream.isEmpty && ahead.isEmpty
    if (begins) stream = linked.open(next, ServiceInput.LongestAnswer)
    stream.exists { from =>
      val wanted = (entry.size - next).min(chunk.length.toLong).toInt
      val read =
        try from.readNBytes(chunk, 0, wanted)
        catch {
          case error: InterruptedIOException => throw error
          case _: IOException =>
            linked.giveUp()
            0
        }
      // An answer with nothing in it.
      if (begins && read == 0) linked.giveUp()
      if (read < wanted) leaveStream()
      if (read > 0) {
        window = ByteBuffer.wrap(chunk, 0, read)
        next += read
        asked = next
      }
      // At the end of one answer another one goes on.
      read > 0 || flows()
    }
  }

  private def leaveStream(): Unit = {
    stream.foreach(_.close())
    stream = None
  }

  private def part(position: Long, count: Int): Array[Byte] = {
    val found = if (count < ServiceInput.Chunk) None else linked.open(position, count).flatMap { from =>
      val bytes =
        try from.readNBytes(count)
        catch {
          case error: InterruptedIOException => throw error
          case _: IOException => Array.emptyByteArray
        } finally from.close()
      if (bytes.length < count) linked.giveUp()
      Option.when(bytes.length == count)(bytes)
    }
    found.getOrElse(fetch(position, count))
  }

  private def arrived(): Array[Byte] =
    try Ahead.result(ahead.dequeue())
    catch {
      case error: IOException =>
        // What comes after it is not to be taken for it.
        ahead.clear()
        throw error
    }

  private def lookAhead(): Unit = {
    length = (length * 4).min(ServiceInput.Largest)
    while (ahead.size < ServiceInput.Windows && asked < entry.size) {
      val (from, count) = (asked, due(asked))
      ahead += Ahead(fetch(from, count))
      asked += count
    }
  }

  private def due(position: Long): Int = (entry.size - position).min(length.toLong).toInt

  private def checkOpen(): Unit = if (!open) throw new IOException(s"${FSExceptionMessages.STREAM_IS_CLOSED}: $shown")
}

private object ServiceInput {
  val First: Int = 128 << 10
  val Largest: Int = 4 << 20

  /** Of a store's own answer at a time. */
  val Chunk: Int = 1 << 20

  /** Of a store's own answers, each of which costs it a look for the blob. */
  val LongestAnswer: Long = 1L << 30

  /** Windows that are on their way while one is read. */
  val Windows = 3
}

/** A blob in the making: sent part by part while it grows, stored when it is closed. */
final class ServiceOutput(upload: ServiceStore#Upload) extends BlobOutput {
  private var buffer = ByteBuffer.allocate(ServiceOutput.First)
  private var sent = 0L
  private var sending = Option.empty[CompletableFuture[Unit]]
  private var open = true

  override def write(byte: Int): Unit = synchronized {
    checkOpen()
    room()
    buffer.put(byte.toByte)
  }

  override def write(bytes: Array[Byte], offset: Int, length: Int): Unit = synchronized {
    checkOpen()
    var from = offset
    while (from < offset + length) {
      room()
      val taken = buffer.remaining.min(offset + length - from)
      buffer.put(bytes, from, taken)
      from += taken
    }
  }

  override def flush(): Unit = ()

  override def close(): Unit = synchronized {
    if (open) {
      open = false
      if (sent == 0) upload.whole(filled)
      else
        try {
          if (buffer.position() > 0) send()
          sending.foreach(Ahead.result(_))
          upload.commit(sent)
        } catch {
          case error: IOException =>
            // What of it is left is cleared by the service within a day.
            try upload.discard()
            catch { case more: IOException => error.addSuppressed(more) }
            throw error
        }
    }
  }

  override def abort(): Unit = synchronized {
    if (open) {
      open = false
      if (sent > 0) upload.discard()
    }
  }

  private def room(): Unit =
    if (!buffer.hasRemaining) {
      if (buffer.capacity < ServiceOutput.Part) {
        val larger = ByteBuffer.allocate((buffer.capacity * 4).min(ServiceOutput.Part))
        buffer.flip()
        buffer = larger.put(buffer)
      } else send()
    }

  private def send(): Unit = {
    sending.foreach(Ahead.result(_))
    val (offset, data) = (sent, filled)
    sending = Some(Ahead(upload.part(offset, data)))
    sent += data.length
    buffer.clear()
  }

  private def filled: Array[Byte] = util.Arrays.copyOf(buffer.array, buffer.position())

  private def checkOpen(): Unit = if (!open) throw new IOException(FSExceptionMessages.STREAM_IS_CLOSED)
}

private object ServiceOutput {
  val First: Int = 64 << 10
  val Part: Int = 8 << 20
}
