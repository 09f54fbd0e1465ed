"""Lines of an import's answer, and of what a whole instance is taken out and brought in as."""

from typing import Annotated

import msgspec
from msgspec import Meta, Struct

from headland.farm.wire import Error


class RecordFile(Struct, frozen=True):
    """What a record that is taken out says in `file` of its document's file, which goes its own way. It is passed
    over where records are brought in.
    """

    #: Below the instance's address.
    path: str
    #: What it was called where it came from.
    name: str
    #: Bytes.
    size: int
    #: In hexadecimal digits.
    sha256: str


class Record(Struct, frozen=True, omit_defaults=True):
    """A document of any family."""

    #: Segment of the family's paths, in the document's version.
    family: str
    document: msgspec.Raw
    #: The version that the document is in; None for the request's.
    version: str | None = None
    #: An object of members that only other versions have, by the names that this service keeps them under.
    rest: msgspec.Raw = msgspec.Raw()


class Refused(Struct, frozen=True, omit_defaults=True, tag="refused", tag_field="event"):
    """A line that was not taken. Nothing of it was kept."""

    line: Annotated[int, Meta(description="Number of the line, from 1.")]
    code: str
    message: str
    target: Annotated[str | None, Meta(description="The member that is meant.")] = None
    family: str | None = None
    party: Annotated[str | None, Meta(description="Id of the party.")] = None
    id: Annotated[str | None, Meta(description="Id of the document.")] = None


class Counts(Struct, frozen=True, kw_only=True):
    """What has become of lines so far."""

    lines: Annotated[
        int, Meta(description="Number of the last line that was read; all up to it are on disk.")
    ]
    created: int
    updated: int
    unchanged: Annotated[int, Meta(description="They were there already, just so.")]
    refused: int


class Committed(Counts, frozen=True, kw_only=True, tag="committed", tag_field="event"):
    """A chunk is on disk, with all before it."""


class Finished(Counts, frozen=True, kw_only=True, tag="finished", tag_field="event"):
    """The body has ended, and all of it was dealt with: the last line of an answer."""


class Stopped(Counts, frozen=True, kw_only=True, tag="stopped", tag_field="event"):
    """The import could not go on after `lines`: the last line of an answer. It may be sent again from there."""

    error: Error


Event = Refused | Committed | Finished | Stopped

encode_event = msgspec.json.Encoder().encode
decode_record = msgspec.json.Decoder(Record).decode
