"""The main job, end to end, on embedded defaults: what `make demo` runs.

It starts a service with a home of its own, does through public interfaces what a newcomer would do, tells
each step, and leaves nothing behind. After a failure the home stays, with the service's log in it.
"""

import json
import os
import shutil
import signal
import socket
import ssl
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
from pyarrow import parquet

HERE = Path(__file__).parent
FOLDER = HERE.parent / ".demo"
HEADLAND = Path(sys.executable).with_name("headland")
ENTRY_CLASS = "headland.examples.YieldReport"
REPORT = "wasbs:///reports/yield"
FINAL = {"success", "dead", "killed"}
PATIENCE = 180.0
#: Rows of the report.
FIELDS = 4


class DemoError(Exception):
    """A step failed: what happened, and what to do about it."""

    def __init__(self, cause: str, remedy: str) -> None:
        super().__init__(cause)
        self.remedy = remedy


class Steps:
    """Tells what is being done, and how long it took."""

    def __init__(self) -> None:
        self.current = "getting ready"
        self.done: list[str] = []
        self._started = time.monotonic()

    @contextmanager
    def step(self, title: str) -> Iterator[None]:
        self.current = title
        began = time.monotonic()
        print(f"\n── {title}", flush=True)
        yield
        self.done.append(title)
        print(f"   done in {time.monotonic() - began:.1f} s", flush=True)

    @property
    def seconds(self) -> float:
        return time.monotonic() - self._started


def say(text: str) -> None:
    for line in text.splitlines() or [""]:
        print(f"   {line}", flush=True)


def free_port(wanted: int) -> int:
    """`wanted` if nobody listens there, else any that is free."""
    for port in (wanted, 0):
        with socket.socket() as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                probe.bind(("127.0.0.1", port))
            except OSError:
                continue
            return int(probe.getsockname()[1])
    raise DemoError("no port of 127.0.0.1 can be listened on", "look at what limits this user's sockets")


class Demo:
    """One run."""

    def __init__(self) -> None:
        self.steps = Steps()
        self.home = FOLDER / "home"
        port, private_port = free_port(8443), free_port(8998)
        self.url = f"https://localhost:{port}"
        kept = {name: value for name, value in os.environ.items() if not name.startswith("HEADLAND_")}
        self.environment = kept | {
            "HEADLAND_HOME": str(self.home),
            "HEADLAND_URL": self.url,
            "HEADLAND_SERVER_PUBLIC_URL": self.url,
            "HEADLAND_SERVER_PORT": str(port),
            "HEADLAND_SERVER_PRIVATE_PORT": str(private_port),
            # What would be made for later starts is of no use to a home that is gone in a minute.
            "HEADLAND_JOBS_STARTUP_CACHE": "false",
            # The CLI keeps tokens in the user's cache folder; those of a demo have no business there.
            "XDG_CACHE_HOME": str(FOLDER / "cache"),
            "XDG_CONFIG_HOME": str(FOLDER / "config"),
        }
        self.log = FOLDER / "service.log"
        self.service: subprocess.Popen[str] | None = None
        #: Whether only jobs of administrators run here.
        self.few_walls = False
        self.http = httpx.Client(base_url=self.url, timeout=60)

    def run(self) -> None:
        shutil.rmtree(FOLDER, ignore_errors=True)
        FOLDER.mkdir()
        step = self.steps.step
        with step("Start the service on embedded defaults, in a home of its own"):
            administrator = self.start()
        with step("Register an application"):
            application = self.register(administrator)
        with step("Build the application archive from its Scala source"):
            archive = self.build()
        with step("Upload it to cluster storage"):
            file = self.upload(application, archive)
        with step("Get an access token (OAuth 2.0 client credentials)"):
            token = self.token(application)
        with step("Submit the batch"):
            batch = self.submit(token, file)
        with step("Follow it: real Spark runs"):
            self.follow(batch)
        with step("Read its state, log and result"):
            self.show(batch)
        with step("Read what it has written to cluster storage, as Parquet"):
            self.read(application)
        with step("Delete it"):
            self.delete(batch)
        with step("Stop the service"):
            self.stop()
        shutil.rmtree(FOLDER)
        self.summary()

    def start(self) -> dict[str, str]:
        with self.log.open("w") as log:
            self.service = subprocess.Popen(
                [str(HEADLAND), "serve", "--json"],
                env=self.environment,
                stdout=subprocess.PIPE,
                stderr=log,
                text=True,
                start_new_session=True,
            )
        told: dict[str, dict[str, str]] = {}
        for line in self.service.stdout or ():
            told |= json.loads(line)
            if "ready" in told:
                say(f"home     {self.home}")
                say(f"public   {told['ready']['publicUrl']} (TLS by a local CA)")
                say(f"private  {told['ready']['privateUrl']}")
                context = ssl.create_default_context(cafile=told["ready"]["ca"])
                self.http = httpx.Client(verify=context, base_url=self.url, timeout=60)
                walls = self.http.get("/health/ready").json()["isolation"]
                say(f"jobs     behind walls: {walls}" if walls.startswith("sandbox") else f"jobs     {walls}")
                self.few_walls = "too few" in walls
                return told["administrator"]
        raise DemoError(
            f"the service ended with exit code {self.service.wait()}",
            f"its log is {self.log}; the end of it is above",
        )

    def headland(self, credentials: dict[str, str] | None, *arguments: str) -> str:
        """Run the CLI as somebody would; what it prints."""
        own = (
            {
                "HEADLAND_TENANT": credentials["tenantId"],
                "HEADLAND_CLIENT_ID": credentials["clientId"],
                "HEADLAND_CLIENT_SECRET": credentials["clientSecret"],
            }
            if credentials
            else {}
        )
        say("$ headland " + " ".join(arguments))
        done = subprocess.run(
            [str(HEADLAND), *arguments],
            env=self.environment | own,
            capture_output=True,
            text=True,
            check=False,
        )
        if done.returncode:
            raise DemoError(
                done.stderr.strip() or f"it ended with exit code {done.returncode}", f"see {self.log}"
            )
        return done.stdout

    def register(self, administrator: dict[str, str]) -> dict[str, str]:
        rights = ("--administrator",) if self.few_walls else ()
        made = json.loads(self.headland(administrator, "app", "create", "demo", *rights, "--json"))
        application = {
            "tenantId": made["application"]["tenantId"],
            "clientId": made["application"]["clientId"],
            "clientSecret": made["secret"]["secret"],
        }
        say(f"Application (client) ID  {application['clientId']}")
        say(f"Directory (tenant) ID    {application['tenantId']}")
        say("Client secret            (shown once, kept by this demo)")
        return application

    def build(self) -> Path:
        archive = FOLDER / "yield-report.jar"
        source = HERE / "yield-report" / "YieldReport.scala"
        self.headland(None, "archive", "build", str(source), "-o", str(archive))
        say(f"{archive.name}: {archive.stat().st_size} bytes")
        return archive

    def upload(self, application: dict[str, str], archive: Path) -> str:
        return (
            self.headland(application, "storage", "upload", str(archive), "jars/yield-report.jar")
            .strip()
            .splitlines()[-1]
        )

    def token(self, application: dict[str, str]) -> str:
        answer = self.call(
            "POST",
            f"/{application['tenantId']}/oauth2/v2.0/token",
            data={
                "grant_type": "client_credentials",
                "client_id": application["clientId"],
                "client_secret": application["clientSecret"],
                "scope": "https://hilo.azurehdinsight.net/.default",
            },
        ).json()
        say(f"{answer['token_type']} token, valid for {answer['expires_in']} seconds")
        return str(answer["access_token"])

    def submit(self, token: str, file: str) -> int:
        self.http.headers["Authorization"] = f"Bearer {token}"
        listed = self.call("GET", "/livy/batches")
        say(listed.text)
        body = {"file": file, "className": ENTRY_CLASS, "args": [REPORT]}
        say(json.dumps(body))
        created = self.call("POST", "/livy/batches", json=body, headers={"X-Requested-By": "demo"})
        say(f"{created.status_code} {created.reason_phrase}   Location: {created.headers['location']}")
        say(created.text)
        return int(created.json()["id"])

    def follow(self, batch: int) -> None:
        shown = ""
        deadline = time.monotonic() + PATIENCE
        while time.monotonic() < deadline:
            now = self.call("GET", f"/livy/batches/{batch}/progress", quiet=True).json()
            tasks = f", {now['completed']} of {now['tasks']} Spark tasks" if now["tasks"] else ""
            line = f"{now['state']}{tasks}"
            if line != shown:
                say(line)
                shown = line
            if now["state"] in FINAL:
                return
            time.sleep(0.2)
        raise DemoError(
            f"batch {batch} has not ended after {PATIENCE:.0f} s", f"see its log below {self.home}/batches"
        )

    def show(self, batch: int) -> None:
        record = self.call("GET", f"/livy/batches/{batch}").json()
        log = self.call("GET", f"/livy/batches/{batch}/log?from=0&size=-1").json()["log"]
        say(f"state: {record['state']}   application: {record['appId']}")
        say("the end of the log:")
        for line in record["log"]:
            say("  " + line.strip("\n"))
        if record["state"] != "success":
            raise DemoError(f"batch {batch} ended {record['state']}", "the log above says why")
        say("what it computed:")
        table = [line for line in log if line.startswith(("+-", "|", "Yield of"))]
        say("\n".join("  " + line for line in table))

    def read(self, application: dict[str, str]) -> None:
        say(self.headland(application, "storage", "ls", REPORT))
        folder = FOLDER / "report"
        self.headland(application, "storage", "download", REPORT, str(folder))
        table = parquet.read_table(folder)
        for row in table.to_pylist():
            say("  " + "   ".join(f"{name}: {value}" for name, value in row.items()))
        if table.num_rows != FIELDS:
            raise DemoError(f"the report has {table.num_rows} rows, not {FIELDS}", f"see {folder}")

    def delete(self, batch: int) -> None:
        say(self.call("DELETE", f"/livy/batches/{batch}").text)
        listed = self.call("GET", "/livy/batches")
        say(listed.text)
        if listed.json()["total"] != 0:
            raise DemoError("the list is not empty after the deletion", f"see {self.log}")

    def stop(self) -> None:
        if self.service is None or self.service.poll() is not None:
            return
        self.service.send_signal(signal.SIGTERM)
        self.service.wait(30)

    def call(self, method: str, path: str, quiet: bool = False, **arguments: object) -> httpx.Response:
        if not quiet:
            say(f"{method} {path}")
        answer = self.http.request(method, path, **arguments)  # type: ignore[arg-type]
        if answer.is_error:
            raise DemoError(f"{method} {path}: {answer.status_code} {answer.text}", f"see {self.log}")
        return answer

    def summary(self) -> None:
        print(f"\nAll of it worked, in {self.steps.seconds:.0f} seconds:")
        for number, title in enumerate(self.steps.done, 1):
            print(f"  {number:2}. {title}")
        print(
            "\nGo on with:\n"
            "  make serve                 start Headland for good; it prints an administrator's secret, once\n"
            "  .venv/bin/headland --help  the command line: login, app, storage, batch, token\n"
            "  README.md                  the same walk with curl, ready to paste"
        )


def main() -> int:
    demo = Demo()
    try:
        demo.run()
    except (DemoError, OSError, httpx.HTTPError, ValueError, KeyError) as error:
        print(f"\nThe demo failed at: {demo.steps.current}", file=sys.stderr)
        print(f"  cause: {error}", file=sys.stderr)
        print(f"  what to do: {getattr(error, 'remedy', f'look into {demo.log}')}", file=sys.stderr)
        if demo.log.exists():
            print("  the end of the service's log:", file=sys.stderr)
            for line in demo.log.read_text().splitlines()[-8:]:
                print(f"    {line[:300]}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("\nInterrupted.", file=sys.stderr)
        return 130
    finally:
        demo.stop()
    return 0


if __name__ == "__main__":
    sys.exit(main())
