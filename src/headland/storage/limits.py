"""Hold a stream of bytes to a limit."""

from collections.abc import AsyncIterator

from headland.storage.errors import BlobTooLargeError
from headland.storage.urls import BlobUrl


async def within_limit(chunks: AsyncIterator[bytes], url: BlobUrl, limit: int) -> AsyncIterator[bytes]:
    """`chunks`, as long as they are no more than `limit` bytes together; none of them empty.

    Raises:
        BlobTooLargeError: they are more.
    """
    left = limit
    async for chunk in chunks:
        left -= len(chunk)
        if left < 0:
            raise BlobTooLargeError(url, limit)
        if chunk:
            yield chunk
