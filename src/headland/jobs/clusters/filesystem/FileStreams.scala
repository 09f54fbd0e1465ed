package headland.filesystem

import java.io.{EOFException, IOException}
import java.nio.{Buffer, ByteBuffer}
import java.nio.channels.{ClosedChannelException, FileChannel}
import java.util
import java.util.concurrent.CompletableFuture
import java.util.function.IntFunction

import org.apache.hadoop.fs.{ByteBufferPositionedReadable, ByteBufferReadable, FileRange, FSExceptionMessages,
  FSInputStream, StreamCapabilities, Syncable, VectoredReadUtils}

import scala.jdk.CollectionConverters._

/** Sizes of what is copied at a time. */
private object Pieces {

  /** Java reads into memory of its own first, as large as what is asked for, and keeps it for each thread. */
  val Largest = 1 << 20
  val Buffer = 64 << 10
}

/** A file's bytes. Reads at a position are safe from several threads. */
final class FileInput(channel: FileChannel, shown: String)
    extends FSInputStream
    with ByteBufferReadable
    with ByteBufferPositionedReadable
    with StreamCapabilities {
  private val buffer = ByteBuffer.allocate(Pieces.Buffer).limit(0)
  // Of the file: where the buffer ends.
  private var next = 0L

  override def getPos: Long = synchronized(next - buffer.remaining)

  override def seek(position: Long): Unit = synchronized {
    checkOpen()
    if (position < 0) throw new EOFException(s"${FSExceptionMessages.NEGATIVE_SEEK}: $shown")
    val start = next - buffer.limit()
    if (position >= start && position <= next) buffer.position((position - start).toInt)
    else if (position > channel.size) throw new EOFException(s"${FSExceptionMessages.CANNOT_SEEK_PAST_EOF}: $shown")
    else {
      buffer.limit(0)
      next = position
    }
  }

  override def seekToNewSource(position: Long): Boolean = false

  override def available: Int = synchronized {
    checkOpen()
    (channel.size - getPos).max(0).min(Int.MaxValue.toLong).toInt
  }

  override def read(): Int = synchronized {
    checkOpen()
    if (buffer.hasRemaining || fill()) buffer.get() & 0xff else -1
  }

  override def read(bytes: Array[Byte], offset: Int, length: Int): Int = read(ByteBuffer.wrap(bytes, offset, length))

  override def read(into: ByteBuffer): Int = synchronized {
    checkOpen()
    if (!into.hasRemaining) 0
    else if (buffer.hasRemaining || into.remaining < buffer.capacity && fill()) {
      val taken = buffer.remaining.min(into.remaining)
      into.put(buffer.duplicate().limit(buffer.position() + taken))
      buffer.position(buffer.position() + taken)
      taken
    } else {
      val read = at(next, into)
      if (read > 0) {
        buffer.limit(0)
        next += read
      }
      read
    }
  }

  override def read(position: Long, bytes: Array[Byte], offset: Int, length: Int): Int = {
    validatePositionedReadArgs(position, bytes, offset, length)
    read(position, ByteBuffer.wrap(bytes, offset, length))
  }

  override def read(position: Long, into: ByteBuffer): Int = {
    checkOpen()
    if (!into.hasRemaining) 0 else at(position, into)
  }

  override def readFully(position: Long, bytes: Array[Byte], offset: Int, length: Int): Unit = {
    validatePositionedReadArgs(position, bytes, offset, length)
    readFully(position, ByteBuffer.wrap(bytes, offset, length))
  }

  override def readFully(position: Long, into: ByteBuffer): Unit = {
    checkOpen()
    var from = position
    while (into.hasRemaining) {
      val read = at(from, into)
      if (read < 0) throw new EOFException(s"${FSExceptionMessages.EOF_IN_READ_FULLY}: $shown")
      from += read
    }
  }

  /** One after another: what is asked for is on this machine, mostly in memory. */
  override def readVectored(ranges: util.List[_ <: FileRange], allocate: IntFunction[ByteBuffer]): Unit = {
    checkOpen()
    val sorted = VectoredReadUtils.validateAndSortRanges(ranges, util.Optional.of(channel.size)).asScala
    for (range <- sorted) {
      val data = allocate.apply(range.getLength)
      val done = new CompletableFuture[ByteBuffer]()
      range.setData(done)
      try {
        readFully(range.getOffset, data)
        (data: Buffer).flip()
        done.complete(data)
      } catch { case error: IOException => done.completeExceptionally(error) }
    }
  }

  override def hasCapability(capability: String): Boolean =
    util.Set.of(
      StreamCapabilities.READBYTEBUFFER, StreamCapabilities.PREADBYTEBUFFER, StreamCapabilities.VECTOREDIO
    ).contains(capability.toLowerCase)

  override def close(): Unit = channel.close()

  override def toString: String = s"$shown at $getPos"

  private def fill(): Boolean = {
    buffer.clear()
    val read =
      try at(next, buffer)
      finally buffer.flip()
    if (read > 0) next += read
    read > 0
  }

  private def at(position: Long, into: ByteBuffer): Int = {
    val most = into.limit().min(into.position() + Pieces.Largest)
    val last = into.limit()
    into.limit(most)
    try channel.read(into, position)
    catch { case _: ClosedChannelException => throw closed }
    finally into.limit(last)
  }

  private def checkOpen(): Unit = if (!channel.isOpen) throw closed

  private def closed = new IOException(s"${FSExceptionMessages.STREAM_IS_CLOSED}: $shown")
}

/** A file in the making.
  *
  * @param publish gives it its name
  * @param discard removes it
  */
final class FileOutput(channel: FileChannel, publish: => Unit, discard: => Unit)
    extends BlobOutput
    with Syncable
    with StreamCapabilities {
  private val buffer = ByteBuffer.allocate(Pieces.Buffer)
  private var published = false

  override def write(byte: Int): Unit = synchronized {
    checkOpen()
    if (!buffer.hasRemaining) drain()
    buffer.put(byte.toByte)
  }

  override def write(bytes: Array[Byte], offset: Int, length: Int): Unit = synchronized {
    checkOpen()
    if (length > buffer.remaining) drain()
    if (length < buffer.capacity) buffer.put(bytes, offset, length)
    else
      for (from <- offset until offset + length by Pieces.Largest) {
        put(ByteBuffer.wrap(bytes, from, Pieces.Largest.min(offset + length - from)))
      }
  }

  /** Nothing is to be seen of a file before it is closed, unless `hflush` or `hsync` ask for it. */
  override def flush(): Unit = ()

  override def hflush(): Unit = synchronized {
    checkOpen()
    drain()
    show()
  }

  override def hsync(): Unit = synchronized {
    checkOpen()
    drain()
    channel.force(true)
    show()
  }

  override def close(): Unit = synchronized {
    if (channel.isOpen) {
      try {
        drain()
        show()
      } catch {
        case error: Throwable =>
          abort()
          throw error
      }
      channel.close()
    }
  }

  override def abort(): Unit = synchronized {
    if (channel.isOpen) {
      channel.close()
      if (!published) discard
    }
  }

  override def hasCapability(capability: String): Boolean =
    capability.toLowerCase match {
      case StreamCapabilities.HFLUSH | StreamCapabilities.HSYNC => true
      case _ => false
    }

  private def show(): Unit =
    if (!published) {
      publish
      published = true
    }

  private def drain(): Unit = {
    buffer.flip()
    put(buffer)
    buffer.clear()
  }

  private def put(data: ByteBuffer): Unit = while (data.hasRemaining) channel.write(data)

  private def checkOpen(): Unit = if (!channel.isOpen) throw new IOException(FSExceptionMessages.STREAM_IS_CLOSED)
}
