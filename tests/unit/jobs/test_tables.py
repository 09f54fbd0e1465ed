"""The batch's record and its table go together."""

import dataclasses

from headland.jobs.batches.store import BatchRow
from headland.jobs.batches.tables import batch


def test_the_record_has_the_columns_in_their_order() -> None:
    assert [field.name for field in dataclasses.fields(BatchRow)] == list(batch.columns.keys())
