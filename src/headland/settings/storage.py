"""Settings of cluster storage."""

from typing import Annotated

from msgspec import Meta, Struct

from headland.settings.units import Bytes


class AccountSettings(Struct, frozen=True, forbid_unknown_fields=True):
    """One storage account."""

    url: Annotated[
        str,
        Meta(
            pattern=r"^(file:///|az://|s3://|gs://).+",
            description="`file:///<folder>` (a folder each container), `az://<account>` (its containers), "
            "`s3://<bucket>[/<prefix>]` or `gs://<bucket>[/<prefix>]` (a prefix each container).",
            examples=["s3://farm-archive/headland"],
        ),
    ]
    options: Annotated[
        dict[str, str],
        Meta(
            description="Credentials and endpoint of a remote store, by obstore's names (`account_key`, `region`, …).",
            examples=[{"region": "eu-central-1"}],
        ),
    ] = {}
    links: Annotated[
        bool,
        Meta(
            description="Whether jobs read large blobs at the remote store itself, by links that Headland signs, each "
            "for one blob and five minutes. Where the store gives no links, or is not reached from a job's machine, "
            "all comes by the storage service."
        ),
    ] = True


class StorageSettings(Struct, frozen=True, forbid_unknown_fields=True):
    """Cluster storage: what `wasbs://` names."""

    default_account: Annotated[
        str,
        Meta(
            pattern=r"^[a-z0-9]{3,24}$",
            description="Account of `wasbs:///<path>`; a folder in the home unless `storage.accounts` has it.",
        ),
    ] = "headland"
    default_container: Annotated[
        str,
        Meta(
            pattern=r"^(?=[a-z0-9-]{3,63}$)[a-z0-9]+(-[a-z0-9]+)*$",
            description="Container of `wasbs:///<path>`.",
        ),
    ] = "default"
    accounts: Annotated[
        dict[Annotated[str, Meta(pattern=r"^[a-z0-9]{3,24}$")], AccountSettings],
        Meta(
            description="Storage accounts by name: `[storage.accounts.<name>]`.",
            examples=[
                {"archive": {"url": "s3://farm-archive/headland", "options": {"region": "eu-central-1"}}}
            ],
        ),
    ] = {}
    max_upload: Annotated[Bytes, Meta(description="Largest blob that may be uploaded over HTTP.")] = (
        5 * 1024**3
    )
