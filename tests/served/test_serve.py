"""`headland serve`: first start, listeners, health, and how it ends or refuses to begin."""

import base64
import contextlib
import json
import os
import shutil
import socket
import sqlite3
import stat
import subprocess
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import pytest
from tests.serving import HEADLAND, Served, eventually


def as_anybody() -> list[str]:
    """What to put before a command so that permissions count, which for root they otherwise do not."""
    if os.geteuid() != 0:
        return []
    if shutil.which("setpriv") is None:
        pytest.skip("root may read everything, and 'setpriv' of util-linux is not there to change that")
    powers = "-dac_override,-dac_read_search"
    return ["setpriv", f"--bounding-set={powers}", f"--inh-caps={powers}"]


def run(
    served: Served, *arguments: str, prefix: Sequence[str] = (), **environment: str
) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*prefix, str(HEADLAND), *arguments],
        env=served.environment | environment,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


class TestFirstStart:
    def test_makes_a_private_home_with_everything(self, served: Served) -> None:
        assert stat.S_IMODE(served.home.stat().st_mode) == 0o700
        for file in ("headland.db", "tls/ca.pem", "tls/upcoming.pem", "tls/server.pem", "tls/server.key"):
            assert (served.home / file).is_file(), file
        # The authority has signed all that it ever will.
        assert not (served.home / "tls/ca.key").exists()

    def test_nothing_in_the_home_is_for_others_whatever_the_umask(
        self, make_served: Callable[..., Served]
    ) -> None:
        served = make_served()
        before = os.umask(0)
        try:
            served.start()
        finally:
            os.umask(before)
        served.stop()
        (served.home / "headland.db").chmod(0o644)
        served.home.chmod(0o755)
        served.start(authorize=False)
        said = served.log.read_text()
        assert said.count('"event":"home.open"') == 2
        assert ('"event":"server.root"' in said) == (os.geteuid() == 0)
        for path in (served.home, *served.home.rglob("*")):
            if not path.is_symlink():
                assert not path.lstat().st_mode & 0o077, path

    def test_prints_the_secret_once_and_keeps_its_hash(self, make_served: Callable[..., Served]) -> None:
        served = make_served(server_services="identity")
        served.start()
        first = served.administrator
        assert set(first) == {"name", "clientId", "tenantId", "clientSecret"}
        served.stop()
        for file in served.home.rglob("*"):
            if file.is_file():
                assert first["clientSecret"].encode() not in file.read_bytes(), file
        served.administrator = {}
        served.start(authorize=False)
        assert served.administrator == {}

    def test_a_lost_secret_is_replaced_on_the_machine_itself(
        self, make_served: Callable[..., Served]
    ) -> None:
        served = make_served(server_services="identity")
        served.start()
        old = served.administrator
        told = run(served, "reset-administrator", "--json")
        served.administrator = json.loads(told.stdout)["administrator"]
        assert served.administrator["clientId"] == old["clientId"]
        assert served.administrator["clientSecret"] != old["clientSecret"]
        served.authorize()


class TestAddresses:
    def test_all_that_names_the_service_follows_the_port_that_it_is_given(
        self, make_served: Callable[..., Served]
    ) -> None:
        served = make_served(server_services="identity")
        for name in ("PUBLIC_URL", "PORT", "PRIVATE_PORT"):
            del served.environment[f"HEADLAND_SERVER_{name}"]
        arguments = "--port", str(served.port), "--private-port", str(served.private_port)
        told = served.start(*arguments)
        assert told["ready"] == {
            "publicUrl": served.url,
            "privateUrl": served.private_url,
            "ca": str(served.ca),
        }
        tenant = served.administrator["tenantId"]
        found = served.public.get(f"/{tenant}/v2.0/.well-known/openid-configuration").json()
        assert found["issuer"] == f"{served.url}/{tenant}/v2.0"
        assert found["token_endpoint"].startswith(f"{served.url}/")
        token = served.token(f"{served.url}/.default")
        claims = json.loads(base64.urlsafe_b64decode(token.split(".")[1] + "=="))
        assert (claims["iss"], claims["aud"]) == (f"{served.url}/{tenant}/v2.0", served.url)
        # A command on this machine that is told of no address.
        credentials = {name: served.administrator[name] for name in ("tenantId", "clientId", "clientSecret")}
        listed = run(
            served,
            "app",
            "list",
            "--json",
            HEADLAND_TENANT=credentials["tenantId"],
            HEADLAND_CLIENT_ID=credentials["clientId"],
            HEADLAND_CLIENT_SECRET=credentials["clientSecret"],
        )
        assert (listed.returncode, listed.stderr) == (0, "")
        assert run(served, "ca").stdout == f"{served.ca}\n"

    def test_options_that_can_not_be_are_told_by_name(self, make_served: Callable[..., Served]) -> None:
        served = make_served()
        for option in ("--port", "--private-port"):
            refused = run(served, "serve", option, "65536")
            assert refused.returncode == 2
            assert f"Invalid value for '{option}'" in refused.stderr
        refused = run(served, "serve", "--host", "")
        assert refused.returncode == 1
        assert refused.stderr.startswith("headland: HEADLAND_SERVER_HOST: server.host: ")
        assert not served.home.exists()


#: Far below the grace that requests under way get, and far above what it takes to end.
AT_ONCE = 5.0


class TestEnds:
    def end(self, served: Served) -> None:
        process = served.process
        assert process is not None
        began = time.monotonic()
        process.terminate()
        process.wait(60)
        eventually(lambda: not members(process.pid), "every process has gone")
        assert time.monotonic() - began < AT_ONCE
        assert "process.killed" not in served.log.read_text()

    @pytest.mark.parametrize("delay", [0, 0.05, 0.1, 0.2, 0.3, 0.5])
    def test_it_ends_at_once_however_soon_after_readiness_it_is_told(
        self, make_served: Callable[..., Served], delay: float
    ) -> None:
        # With these services alone it is ready when its ports are open, and before its workers are.
        served = make_served(server_services="identity")
        served.start(authorize=False)
        # The delay is what is tested: an event to wait for would be the end of what may go wrong.
        time.sleep(delay)
        self.end(served)

    @pytest.mark.parametrize("sign", ["run/serve.lock", "headland.db", "run/address", "run/controller.lock"])
    def test_it_ends_at_once_while_it_starts(self, make_served: Callable[..., Served], sign: str) -> None:
        served = make_served()
        served.spawn()
        eventually((served.home / sign).exists, sign, pause=0.001)
        self.end(served)
        served.start(authorize=False)
        assert served.public.get("/health/ready").status_code == 200

    @pytest.mark.parametrize("delay", [0, 0.05, 0.1])
    def test_a_worker_that_loads_ends_at_once(self, make_served: Callable[..., Served], delay: float) -> None:
        served = make_served(server_services="identity")
        process = served.spawn()

        def worker() -> bool:
            return any(children(listener) for listener in children(process.pid))

        eventually(worker, "a listener has started its worker", pause=0.002)
        time.sleep(delay)
        self.end(served)


def children(parent: int) -> list[int]:
    return [pid for pid, its_parent, _ in processes() if its_parent == parent]


def members(group: int) -> list[int]:
    return [pid for pid, _, its_group in processes() if its_group == group]


def processes() -> Iterator[tuple[int, int, int]]:
    """Those that have not ended: pid, parent, process group."""
    for file in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):
            state, parent, group = file.read_text().rpartition(")")[2].split()[:3]
            if state != "Z":
                yield int(file.parent.name), int(parent), int(group)


class TestListeners:
    def test_the_job_service_sends_the_headers_of_livys_filter(self, served: Served) -> None:
        for client, base in ((served.public, "/livy"), (served.private, "")):
            for path in ("/batches", "/batches/99999", "/nowhere", "/sessions", "/version"):
                headers = client.get(f"{base}{path}").headers
                assert headers["X-XSS-Protection"] == "1; mode=block"
                assert headers["X-Frame-Options"] == "SAMEORIGIN"
                assert headers["X-Content-Type-Options"] == "nosniff"
                assert headers["Content-Security-Policy"].startswith("default-src 'self'")
                assert ("Strict-Transport-Security" in headers) == (client is served.public)
            refused = client.get(f"{base}/batches", headers={"Authorization": ""})
            assert refused.headers["X-XSS-Protection"] == "1; mode=block"
        assert "X-XSS-Protection" not in served.public.get("/health/live").headers

    def test_both_ask_for_a_token(self, served: Served) -> None:
        for client, path in ((served.public, "/livy/batches"), (served.private, "/batches")):
            request = client.build_request("GET", path)
            del request.headers["Authorization"]
            answer = client.send(request)
            assert answer.status_code == 401
            assert answer.headers["WWW-Authenticate"].startswith("Bearer")
            assert client.get(path).status_code == 200

    @pytest.mark.parametrize(
        "path",
        [
            "/livy/batches",
            "/storage/-/-",
            "/identity/applications",
            "/audit/entries",
            "/tenants?api-version=2022-12-01",
            "/control/instances",
            "/farm/meadow/parties?api-version=2022-11-01-preview",
        ],
    )
    def test_a_refusal_names_the_scope_that_opens_the_door(self, served: Served, path: str) -> None:
        scope = f"{served.url}/.default"
        other = "https://management.azure.com" if path.startswith("/farm/") else "https://farmbeats.azure.net"
        for token in ("", served.token(f"{other}/.default")):
            with served.client(token) as client:
                answer = client.get(path)
            assert answer.status_code == 401
            assert f', scope="{scope}"' in answer.headers["WWW-Authenticate"]
            assert f"Ask for a token with the scope '{scope}'." in answer.text
        with served.client(served.token(scope)) as client:
            assert client.get(path).status_code in (200, 404)

    def test_a_refusal_reaches_a_client_that_is_still_sending(self, served: Served, tmp_path: Path) -> None:
        body = tmp_path / "body"
        body.write_bytes(bytes(3_000_000))
        if shutil.which("curl") is None:
            pytest.skip("curl is not installed")
        command = ["curl", "--silent", "--show-error", "--http2", "--cacert", served.ca]
        command += ["--header", "X-Requested-By: curl", "--header", "Content-Type: application/json"]
        command += ["--write-out", "%{http_version} %{http_code} ", "--output", tmp_path / "answer"]
        token = served.public.headers["Authorization"]
        for path, header, expected in (
            ("/livy/sessions", "Accept: */*", "2 401 "),
            ("/livy/sessions", f"Authorization: {token}", "2 413 "),
            ("/farm/meadow/bulk?api-version=2022-11-01-preview", "Accept: */*", "2 401 "),
        ):
            asked = [*command, "--header", header, "--data-binary", f"@{body}", f"{served.url}{path}"]
            said = subprocess.run(asked, capture_output=True, text=True, check=False)
            assert (said.stdout, said.stderr) == (expected, "")
        emptied = [*command, "--request", "DELETE", "--header", f"Authorization: {token}"]
        gone = subprocess.run(
            [*emptied, f"{served.url}/livy/batches/9"], capture_output=True, text=True, check=False
        )
        assert gone.stdout == "2 404 "

    def test_listen_on_loopback_only(self, served: Served) -> None:
        listening = subprocess.run(["ss", "-Hltn"], capture_output=True, text=True, check=False).stdout
        if not listening:
            pytest.skip("'ss' of iproute2 is not there to tell who listens")
        ours = [
            line.split()[3]
            for line in listening.splitlines()
            if line.split()[3].endswith((f":{served.port}", f":{served.private_port}"))
        ]
        assert sorted(ours) == sorted([f"127.0.0.1:{served.port}", f"127.0.0.1:{served.private_port}"])

    @pytest.mark.parametrize(
        ("setting", "basic", "nothing"), [("bearer", 401, 401), ("basic", 200, 401), ("none", 200, 200)]
    )
    def test_private_authentication(
        self, make_served: Callable[..., Served], setting: str, basic: int, nothing: int
    ) -> None:
        served = make_served(server_private_authentication=setting)
        served.start()
        del served.private.headers["Authorization"]
        administrator = (served.administrator["clientId"], served.administrator["clientSecret"])
        assert served.private.get("/batches", auth=administrator).status_code == basic
        assert served.private.get("/batches").status_code == nothing
        assert served.private.get("/batches", auth=(administrator[0], "wrong")).status_code == 401
        assert served.public.get("/livy/batches", auth=administrator).status_code == 401

    def test_health_needs_no_token_and_metrics_stay_private(self, served: Served) -> None:
        for client in (served.public, served.private):
            assert client.get("/health/live", headers={"Authorization": ""}).json()["status"] == "ok"
            assert client.get("/health/ready").json()["checks"] == {"database": "ok", "controller": "ok"}
        metrics = eventually(
            lambda: (
                text
                if "headland_http_requests_total{" in (text := served.private.get("/metrics").text)
                else None
            ),
            "requests are counted",
        )
        assert 'headland_batches{state="success"}' in metrics
        assert served.public.get("/metrics").status_code == 404

    def test_request_ids_are_echoed_or_made(self, served: Served) -> None:
        assert (
            served.public.get("/health/live", headers={"X-Request-Id": "field-7"}).headers["X-Request-Id"]
            == "field-7"
        )
        assert (
            len(
                served.public.get("/health/live", headers={"X-Request-Id": "no good"}).headers["X-Request-Id"]
            )
            == 36
        )
        logged = eventually(
            lambda: [json.loads(line) for line in served.log.read_text().splitlines() if '"field-7"' in line],
            "a line in the log",
        )
        assert [(entry["path"], entry["status"]) for entry in logged] == [("/health/live", 200)]

    def test_jobs_run_without_the_other_services(self, make_served: Callable[..., Served]) -> None:
        served = make_served(server_services="identity")
        served.start()
        assert served.public.get("/livy/batches").status_code == 404
        assert served.public.get("/health/ready").json()["checks"] == {"database": "ok"}


class TestRefusals:
    def test_port_in_use(self, make_served: Callable[..., Served]) -> None:
        served = make_served()
        with socket.socket() as taken:
            taken.bind(("127.0.0.1", served.port))
            taken.listen()
            refused = run(served, "serve")
        assert refused.returncode == 1
        assert refused.stderr.splitlines()[-1] == (
            f"headland: server.port: port {served.port} of 127.0.0.1 is in use"
        )

    @pytest.mark.parametrize(
        ("variable", "value", "line"),
        [
            (
                "HEADLAND_SERVER_PORT",
                "many",
                "headland: HEADLAND_SERVER_PORT: server.port: Expected `int`, got `str`",
            ),
            (
                "HEADLAND_SERVER_PROT",
                "1",
                "headland: HEADLAND_SERVER_PROT names no setting: 'server' has no 'prot'",
            ),
            ("HEADLAND_SERVER_PUBLIC_URL", "http://x", None),
            (
                "HEADLAND_JOBS_JAVA_HOME",
                "/nowhere",
                "headland: jobs.java_home: there is no Java at /nowhere/bin/java",
            ),
        ],
    )
    def test_bad_setting(
        self, make_served: Callable[..., Served], variable: str, value: str, line: str | None
    ) -> None:
        refused = run(make_served(), "serve", **{variable: value})
        assert refused.returncode == 1
        assert len(refused.stderr.splitlines()) == 1
        assert refused.stderr.strip() == line or (line is None and variable in refused.stderr)

    def test_bad_settings_file(self, make_served: Callable[..., Served]) -> None:
        served = make_served()
        served.home.mkdir()
        (served.home / "headland.toml").write_text("[jobs]\nmax_running = 0\n")
        refused = run(served, "serve")
        assert (refused.returncode, refused.stderr.strip()) == (
            1,
            f"headland: {served.home}/headland.toml: jobs.max_running: Expected `int` >= 1",
        )

    def test_home_that_is_no_folder(self, make_served: Callable[..., Served], tmp_path: Path) -> None:
        file = tmp_path / "file"
        file.write_text("")
        refused = run(make_served(), "serve", HEADLAND_HOME=str(file))
        assert refused.returncode == 1
        assert len(refused.stderr.splitlines()) == 1
        assert str(file) in refused.stderr

    def test_home_that_spark_could_not_name(self, make_served: Callable[..., Served], tmp_path: Path) -> None:
        refused = run(make_served(), "serve", HEADLAND_HOME=str(tmp_path / "wheat, barley"))
        assert refused.returncode == 1
        assert "comma" in refused.stderr
        assert not (tmp_path / "wheat, barley").exists()

    def test_unreadable_home(self, make_served: Callable[..., Served]) -> None:
        served = make_served()
        served.home.mkdir(mode=0o000)
        refused = run(served, "serve", prefix=as_anybody())
        served.home.chmod(0o700)
        assert refused.returncode == 1
        assert len(refused.stderr.splitlines()) == 1
        assert str(served.home) in refused.stderr

    def test_database_that_is_none(self, make_served: Callable[..., Served]) -> None:
        served = make_served()
        served.home.mkdir()
        (served.home / "headland.db").write_bytes(
            b"this is not a database, but long enough to be asked " * 20
        )
        refused = run(served, "serve")
        assert refused.returncode == 1
        assert "database" in refused.stderr.splitlines()[-1]
        assert len(refused.stderr.splitlines()) == 1

    def test_database_of_a_later_headland(self, make_served: Callable[..., Served]) -> None:
        served = make_served(server_services="identity")
        served.start()
        served.stop()
        with sqlite3.connect(served.home / "headland.db") as connection:
            connection.execute("UPDATE alembic_version SET version_num = '9999'")
        connection.close()
        refused = run(served, "serve")
        assert refused.returncode == 1
        assert "9999" in refused.stderr.splitlines()[-1]

    def test_second_service_on_the_same_home(self, make_served: Callable[..., Served]) -> None:
        served = make_served()
        served.start()
        other = make_served()
        refused = run(other, "serve", HEADLAND_HOME=str(served.home))
        assert refused.returncode == 1
        assert "another Headland runs on the home" in refused.stderr
        assert served.public.get("/health/ready").status_code == 200
