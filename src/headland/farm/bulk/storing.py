"""A chunk of prepared lines becomes rows: one transaction, run in the store's writer."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from typing import Any

from sqlalchemy import Connection

from headland.farm.bulk.prepared import Mode, Prepared, refused
from headland.farm.bulk.preparing import restored, with_rest
from headland.farm.bulk.wire import Refused
from headland.farm.catalogue import Family
from headland.farm.catalogue.shape import whole
from headland.farm.documents import documents, rows
from headland.farm.documents.admission import admit
from headland.farm.documents.conditions import NONE
from headland.farm.documents.facts import facts
from headland.farm.documents.hiding import under_way
from headland.farm.documents.inserting import insert_new
from headland.farm.documents.making import Patch
from headland.farm.documents.references import check_referred
from headland.farm.documents.rows import Made, Row
from headland.farm.documents.schemas import Look, UnjudgedError, check_schemas
from headland.farm.documents.stamps import Stamp, new_etag
from headland.farm.documents.standing import Standing, standing
from headland.farm.documents.uniqueness import check_only_one, says_alone
from headland.farm.errors import FarmError, ResourceExistsError, ResourceNotFoundError
from headland.http.validation import BodyInvalidError, decode_json


@dataclass(slots=True)
class Outcome:
    """What has become of a chunk."""

    created: int = 0
    updated: int = 0
    unchanged: int = 0
    refused: list[Refused] = field(default_factory=list)


def store(connection: Connection, chunk: Sequence[Prepared], mode: Mode, stamp: Stamp) -> Outcome:
    """Store what the lines of a chunk ask for, in their order. What a line can't have is refused, and no other.

    Raises:
        UnjudgedError: schemas have to be looked at before, for all the chunk.
    """
    outcome = Outcome()
    unjudged: list[Look] = []
    for family, lines in groupby(chunk, lambda each: each.shape.family):
        storing = _Storing(connection, family, mode, stamp, outcome)
        for run in _runs(storing.with_parents(list(lines))):
            storing.store(run)
        unjudged += storing.unjudged
    if unjudged:
        raise UnjudgedError(unjudged)
    return outcome


def _runs(lines: Sequence[Prepared]) -> Iterator[list[Prepared]]:
    """Lines that can be inserted together; one that has to be merged comes by itself."""
    for ready, run in groupby(lines, _is_ready):
        if ready:
            yield list(run)
        else:
            yield from ([each] for each in run)


def _is_ready(line: Prepared) -> bool:
    # What only one may say is looked at when all lines before it are there.
    return line.made is not None and not says_alone(line.shape.family, line.made.facts)


class _Storing:
    """Stores lines of one family."""

    def __init__(
        self, connection: Connection, family: Family, mode: Mode, stamp: Stamp, outcome: Outcome
    ) -> None:
        self._connection = connection
        self._family = family
        self._mode = mode
        self._stamp = stamp
        self._outcome = outcome
        #: What some lines wait for: none of the chunk is stored.
        self.unjudged: list[Look] = []
        #: Looked up once: no other begins before this chunk is written.
        self._cascade = under_way(connection)

    def with_parents(self, lines: list[Prepared]) -> list[Prepared]:
        """Those of which all that they lie below exists."""
        standings: dict[tuple[str, str], Standing] = {}
        found = []
        for each in lines:
            place = each.key.party, each.key.within
            if place not in standings:
                standings[place] = standing(self._connection, self._family, each.key)
            if (above := standings[place].missing) is None:
                found.append(each)
            else:
                self._refuse(each, ResourceNotFoundError(above.family.kind.of(each.shape.version), above.id))
        return found

    def store(self, lines: list[Prepared]) -> None:
        """Insert lines, then see to those for which there was a document already."""
        lines = [each for each in lines if self._may_say(each)]
        ready = [(each.key, each.made) for each in lines if each.made is not None]
        inserted = insert_new(self._connection, self._family, ready)
        self._outcome.created += len(inserted)
        for each in lines:
            # Of several lines for one document the first has made it.
            if each.key in inserted:
                inserted.discard(each.key)
                continue
            try:
                self._change(each)
            except UnjudgedError as error:
                self.unjudged += error.looks
            except (FarmError, BodyInvalidError) as error:
                self._refuse(each, error)

    def _may_say(self, each: Prepared) -> bool:
        """Whether what it has to refer to is there and stays, no other document says already what only one may, and it
        is what the document above demands.
        """
        if each.made is None:
            return True
        try:
            check_referred(self._connection, each.shape, each.key, each.made.facts)
            check_only_one(self._connection, each.shape, each.key, each.made.facts)
            # What is restored was let in once.
            if self._mode is not Mode.RESTORE:
                check_schemas(self._connection, each.shape, each.key, each.made.row.stored)
            if self._cascade is not None:
                admit(self._connection, each.shape, each.key, each.made.facts, self._cascade)
        except UnjudgedError as error:
            self.unjudged += error.looks
            return False
        except (FarmError, BodyInvalidError) as error:
            self._refuse(each, error)
            return False
        return True

    def _change(self, each: Prepared) -> None:
        before = rows.find(self._connection, self._family, each.key)
        if before is not None and each.made is not None and self._mode is Mode.RESTORE:
            self._replace(each, each.made, before)
            return
        if before is not None and self._mode is Mode.CREATE:
            raise ResourceExistsError(self._family.kind.of(each.shape.version), each.key.id)
        members = each.shape.writable(decode_json(each.text, dict[str, Any]))
        patch = Patch(members, each.moved)
        written = documents.write(
            self._connection, each.shape, each.key, patch, stamp=self._stamp, conditions=NONE
        )
        if each.rest:
            stored = with_rest(written.stored, each.rest)
            row = Row(written.etag, stored.document, stored.rest, stored.apart)
            made = Made(row, facts(self._family, whole(self._family, stored)))
            rows.update(self._connection, self._family, each.key, made)
        self._outcome.created += written.created
        self._outcome.updated += not written.created

    def _replace(self, each: Prepared, made: Made, before: Row) -> None:
        if made.row == before:
            self._outcome.unchanged += 1
            return
        if made.row.etag == before.etag:
            # A reader who knows the eTag must not take the one for the other.
            etag = new_etag(self._stamp.at, before.etag)
            made = restored(each, stamp=self._stamp, etag=etag)
        rows.update(self._connection, self._family, each.key, made)
        self._outcome.updated += 1

    def _refuse(self, each: Prepared, error: FarmError | BodyInvalidError) -> None:
        self._outcome.refused.append(refused(each.line, each.shape, each.key, error))
