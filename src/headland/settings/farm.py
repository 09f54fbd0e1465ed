"""Settings of the farm service."""

from typing import Annotated

from msgspec import Meta, Struct

from headland.settings.units import Bytes, Count, Whole


class FarmSettings(Struct, frozen=True, forbid_unknown_fields=True):
    """The farm service."""

    files_url: Annotated[
        Annotated[str, Meta(pattern=r"^(file:///|az://|s3://|gs://).+")] | None,
        Meta(
            description="Where the files of attachments are kept, as `storage.accounts` say it; a folder in the home "
            "if not said. Nothing else may be kept there: it is no cluster storage, and only instances' roles open it.",
            examples=["s3://farm-files/headland"],
        ),
    ] = None
    files_options: Annotated[
        dict[str, str],
        Meta(
            description="Credentials and endpoint of a remote store for files, by obstore's names.",
            examples=[{"region": "eu-central-1"}],
        ),
    ] = {}
    max_file: Annotated[Bytes, Meta(description="Largest file of an attachment.")] = 5 * 1024**3
    file_types: Annotated[
        tuple[str, ...],
        Meta(
            description="The only files that are taken: endings of names (`.tif`) and media types (`image/*`). Many "
            "clients send no media type. Empty: all.",
            examples=[[".zip", ".tif", "image/*"]],
        ),
    ] = ()
    units_a_minute: Annotated[
        Whole,
        Meta(
            description="Units that an instance's requests may use at once, and again each minute: a read takes 1, a "
            "write 5. More are answered with 429 and when to try again. 0 sets no limit; the hosted service's is 25000."
        ),
    ] = 0
    units_in_five_minutes: Annotated[
        Whole, Meta(description="The same for each five minutes; the hosted service's is 100000.")
    ] = 0
    job_units: Annotated[
        Whole,
        Meta(
            description="Units that an instance's jobs may use in five minutes: a cascade delete takes 2. 0 sets no "
            "limit; the hosted service's is 1000."
        ),
    ] = 0
    max_geometry_body: Annotated[
        Bytes,
        Meta(
            description="Largest body of a document that has a geometry, and longest line of an import; "
            "`server.max_body` if that is larger. A position takes some 40 bytes, so that `farm.max_vertices` fit in."
        ),
    ] = 8_388_608
    max_vertices: Annotated[
        Count,
        Meta(
            description="Most positions of one geometry, all its rings together; larger ones are refused. What is "
            "judged of a geometry takes about a microsecond a position."
        ),
    ] = 100_000
