"""Rasters of a shapefile's columns as work: each becomes an attachment to what the shapefile is attached to."""

import asyncio
import re
import uuid
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import NamedTuple

import structlog
from msgspec import Struct
from sqlalchemy import Connection

from headland.farm.attachments.files import Files
from headland.farm.catalogue import ATTACHMENTS
from headland.farm.catalogue.family import FILE_NAME
from headland.farm.catalogue.shape import shape_of
from headland.farm.documents import documents, files, rows
from headland.farm.documents.conditions import NONE
from headland.farm.documents.files import File
from headland.farm.documents.making import Patch
from headland.farm.documents.rows import Key
from headland.farm.documents.stamps import Stamp
from headland.farm.errors import FarmError, ResourceNotFoundError
from headland.farm.rasters import running
from headland.farm.rasters.errors import RasterError
from headland.farm.rasters.program import Raster
from headland.farm.rasters.scratch import scratch
from headland.farm.stores import Store
from headland.farm.work import rows as job_rows
from headland.farm.work.kinds import Kind, LastStep, WorkError
from headland.farm.work.turns import Turns
from headland.http.bodies import BodyError
from headland.storage import StorageError

#: Owns what a job receives. It is no process, so that what is left of a job that ended otherwise is swept at once;
#: and nobody sweeps an instance's files while its jobs are done.
_OWNER = "job"

_CHUNK = 1 << 20

#: What names of columns may have and names of files should not.
_ODD = re.compile(r"[^\w.-]")

_log = structlog.get_logger("headland.farm")


class Rasterize(Struct, frozen=True):
    """Which columns of which shapefile, and what the client says of its job."""

    job: str
    party_id: str
    shapefile_attachment_id: str
    shapefile_column_names: list[str]
    name: str | None = None
    description: str | None = None
    properties: dict[str, str | int | float] | None = None

    @property
    def key(self) -> Key:
        return Key(self.party_id, self.shapefile_attachment_id)


class _Made(NamedTuple):
    """A raster, and its bytes."""

    column: str
    file: File


def _run(held: Files, turns: Turns, wanted: Rasterize) -> LastStep:
    store = turns.store
    with scratch(store.key, wanted.job) as folder:
        archive, output = folder / "archive", folder / "made"
        output.mkdir()
        with _failing():
            asyncio.run(_fetch(held, store, wanted, archive))
        with _failing():
            rasters = running.run(archive, output, wanted.shapefile_column_names, turns.go_on)
            made = asyncio.run(_received(held, store, output, rasters))
    return partial(_attach, wanted=wanted, made=made)


async def _fetch(held: Files, store: Store, wanted: Rasterize, target: Path) -> None:
    file = store.read(lambda connection: files.find(connection, ATTACHMENTS, wanted.key))
    if file is None:
        raise WorkError(
            "AttachmentWithoutFile", f"The attachment '{wanted.shapefile_attachment_id}' has no file."
        )
    reader = await held.open(store.key, file)
    try:
        with target.open("wb") as copy:
            async for chunk in reader:
                copy.write(chunk)
    finally:
        await reader.close()


async def _received(held: Files, store: Store, folder: Path, rasters: list[Raster]) -> list[_Made]:
    return [
        _Made(each.column, await held.receive(store.key, store, _pieces(folder / each.file), _OWNER))
        for each in rasters
    ]


async def _pieces(source: Path) -> AsyncIterator[bytes]:
    with source.open("rb") as opened:
        while piece := opened.read(_CHUNK):
            yield piece


def _attach(connection: Connection, *, wanted: Rasterize, made: list[_Made]) -> str:
    """Make attachments of the rasters; what they are."""
    job, before = job_rows.find(connection, wanted.job), rows.find(connection, ATTACHMENTS, wanted.key)
    shape = shape_of(ATTACHMENTS, ATTACHMENTS.stored_as)
    what, told = f"the shapefile '{wanted.shapefile_attachment_id}'", []
    with _failing():
        if job is None or before is None:
            raise ResourceNotFoundError(ATTACHMENTS.kind.usual, wanted.shapefile_attachment_id)
        resource = shape.opened(before.stored)
        stamp = Stamp((job.acted or job.created) // 1000, job.created_by)
        for column, file in made:
            key = Key(wanted.party_id, str(uuid.uuid4()))
            members = {
                "resourceId": resource["resourceId"],
                "resourceType": resource["resourceType"],
                "name": column,
                "description": f"'{column}' of {what}, by the job '{wanted.job}'",
                shape.names[FILE_NAME]: f"{_ODD.sub('_', column)}.tif",
            }
            documents.write(connection, shape, key, Patch(members), stamp=stamp, conditions=NONE)
            files.keep(connection, file, ATTACHMENTS, key)
            told.append(f"'{column}' is attachment '{key.id}'")
    return f"Rasterized {what}: {', '.join(told)}."


@contextmanager
def _failing() -> Iterator[None]:
    """What goes wrong, told as the job's end."""
    try:
        yield
    except (FarmError, RasterError) as error:
        raise WorkError(error.code, error.message) from None
    except BodyError as error:
        raise WorkError("RasterTooLarge", error.message) from None
    except StorageError as error:
        _log.warning("rasters.unkept", reason=str(error))
        raise WorkError("ServiceUnavailable", "The instance's files can't be reached now.") from None


#: In rows of jobs.
RASTERIZE = "rasterize"


def rasterizing(held: Files) -> Kind:
    """This kind of work, with the files that it reads and makes."""
    return Kind(RASTERIZE, Rasterize, partial(_run, held))
