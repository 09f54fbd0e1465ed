"""Keys that make a submission repeatable: whoever heard no answer sends the same again under the same key."""

import hashlib
from dataclasses import dataclass

from sqlalchemy import Connection, bindparam, delete, insert, select

from headland.jobs.batches import store
from headland.jobs.batches.errors import KeyOfGoneBatchError, KeyReusedError
from headland.jobs.batches.store import BatchRow, NewBatch
from headland.jobs.batches.submission import Submission, canonical
from headland.jobs.batches.tables import batch_submission_key

_TABLE = batch_submission_key
_BY_KEY = select(_TABLE.c.fingerprint, _TABLE.c.batch_id).where(
    _TABLE.c.owner == bindparam("owner"), _TABLE.c.key == bindparam("key")
)


@dataclass(frozen=True, slots=True)
class SubmissionKey:
    """A key with what it was sent for. Each caller has keys of its own."""

    #: Client id; "" for nobody in particular.
    owner: str
    key: str
    #: SHA-256 of the submission as it was admitted.
    fingerprint: bytes

    @classmethod
    def of(cls, key: str, owner: str | None, submission: Submission) -> "SubmissionKey":
        return cls(owner or "", key, hashlib.sha256(canonical(submission)).digest())


def find_submitted(connection: Connection, key: SubmissionKey) -> BatchRow | None:
    """The batch that was made under this key, if one was.

    Raises:
        KeyReusedError: for another submission.
        KeyOfGoneBatchError: and it has been deleted since.
    """
    found = connection.execute(_BY_KEY, {"owner": key.owner, "key": key.key}).one_or_none()
    if found is None:
        return None
    if found.fingerprint != key.fingerprint:
        raise KeyReusedError(key.key, found.batch_id)
    row = store.find(connection, found.batch_id)
    if row is None:
        raise KeyOfGoneBatchError(key.key, found.batch_id)
    return row


def create_once(connection: Connection, new: NewBatch, key: SubmissionKey) -> BatchRow:
    """The batch that was made under this key; else a new one, which from now on is.

    Batch and key come in one transaction, so that neither is ever there alone.

    Raises:
        DuplicateNameError: as in `store.create`.
        KeyReusedError, KeyOfGoneBatchError: as in `find_submitted`.
    """
    earlier = find_submitted(connection, key)
    if earlier is not None:
        return earlier
    row = store.create(connection, new)
    values = {"owner": key.owner, "key": key.key, "fingerprint": key.fingerprint}
    connection.execute(insert(_TABLE), {**values, "batch_id": row.id, "created_at": new.created_at})
    return row


def has_submission_keys(connection: Connection, before: int) -> bool:
    """Whether there are keys that were first sent before `before` (milliseconds since the epoch)."""
    return (
        connection.execute(select(_TABLE.c.key).where(_TABLE.c.created_at < before).limit(1)).first()
        is not None
    )


def forget_submission_keys(connection: Connection, before: int) -> int:
    """Forget keys that were first sent before `before` (milliseconds since the epoch); how many those were."""
    return connection.execute(delete(_TABLE).where(_TABLE.c.created_at < before)).rowcount
