"""The CLI over real sockets: TLS that is trusted, TLS that is not, and nobody there."""

import datetime
import http.server
import ipaddress
import json
import os
import socket
import ssl
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec

HEADLAND = [sys.executable, "-c", "from headland.cli.main import main; main()"]


class Handler(http.server.BaseHTTPRequestHandler):
    """Gives tokens, and has no batches."""

    def do_POST(self):
        self.rfile.read(int(self.headers["content-length"]))
        self.answer({"token_type": "Bearer", "expires_in": 3599, "access_token": "token"})

    def do_GET(self):
        self.answer({"from": 0, "total": 0, "sessions": []})

    def answer(self, document):
        body = json.dumps(document).encode()
        self.send_response(200)
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


def make_certificate(folder: Path, name: x509.GeneralName) -> tuple[Path, Path]:
    key = ec.generate_private_key(ec.SECP256R1())
    subject = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "test")])
    now = datetime.datetime.now(datetime.UTC)
    certificate = (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(subject)
        .public_key(key.public_key())
        .serial_number(1)
        .not_valid_before(now - datetime.timedelta(days=1))
        .not_valid_after(now + datetime.timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([name]), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )
    folder.mkdir(parents=True)
    (folder / "ca.pem").write_bytes(certificate.public_bytes(serialization.Encoding.PEM))
    (folder / "key.pem").write_bytes(
        key.private_bytes(
            serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
        )
    )
    return folder / "ca.pem", folder / "key.pem"


@pytest.fixture
def serve(request):
    def start(certificate: Path, key: Path) -> str:
        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(certificate, key)
        server.socket = context.wrap_socket(server.socket, server_side=True)
        server.handle_error = lambda *_: None  # a client that does not trust us breaks off
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
        thread.start()

        def stop():
            server.shutdown()
            thread.join()
            server.server_close()

        request.addfinalizer(stop)
        return f"https://127.0.0.1:{server.server_address[1]}"

    return start


@pytest.fixture
def headland(tmp_path):
    """Runs `headland batch list` in a process of its own."""

    def run(url: str, *arguments: str, **variables: str) -> "subprocess.CompletedProcess[str]":
        environment = {name: value for name, value in os.environ.items() if not name.startswith("HEADLAND_")}
        folders = {
            name: str(tmp_path / name) for name in ("XDG_CONFIG_HOME", "XDG_CACHE_HOME", "HEADLAND_HOME")
        }
        credentials = {f"HEADLAND_{name}": "x" for name in ("TENANT", "CLIENT_ID", "CLIENT_SECRET")}
        return subprocess.run(
            [*HEADLAND, *(arguments or ("batch", "list"))],
            env={**environment, **folders, **credentials, "NO_PROXY": "*", "HEADLAND_URL": url, **variables},
            capture_output=True,
            text=True,
            check=False,
            timeout=30,
        )

    return run


def test_a_certificate_that_is_not_trusted_is_6_and_tells_of_ca(tmp_path, serve, headland):
    url = serve(*make_certificate(tmp_path / "tls", x509.IPAddress(ipaddress.ip_address("127.0.0.1"))))
    result = headland(url)
    assert result.returncode == 6
    assert result.stderr.startswith(f"headland: the certificate of {url} is not trusted (")
    assert "--ca" in result.stderr
    assert result.stderr.count("\n") == 1


def test_the_ca_in_the_variable_is_trusted(tmp_path, serve, headland):
    ca, key = make_certificate(tmp_path / "tls", x509.IPAddress(ipaddress.ip_address("127.0.0.1")))
    result = headland(serve(ca, key), HEADLAND_CA=str(ca))
    assert (result.returncode, result.stderr) == (0, "")


def test_the_ca_given_at_login_is_trusted_from_then_on(tmp_path, serve, headland):
    ca, key = make_certificate(tmp_path / "tls", x509.IPAddress(ipaddress.ip_address("127.0.0.1")))
    url = serve(ca, key)
    assert headland(url, "login", "--ca", str(ca)).returncode == 0
    assert headland(url).returncode == 0


def test_the_local_ca_in_the_home_is_trusted_unasked(tmp_path, serve, headland):
    ca, key = make_certificate(
        tmp_path / "HEADLAND_HOME" / "tls", x509.IPAddress(ipaddress.ip_address("127.0.0.1"))
    )
    assert headland(serve(ca, key)).returncode == 0


def test_a_certificate_for_another_name_is_6_and_says_so(tmp_path, serve, headland):
    ca, key = make_certificate(tmp_path / "tls", x509.DNSName("elsewhere.example"))
    result = headland(serve(ca, key), HEADLAND_CA=str(ca))
    assert result.returncode == 6
    assert "is for another name" in result.stderr
    assert "tls.names" in result.stderr


@pytest.mark.parametrize("content", [None, "not a certificate"])
def test_a_ca_file_that_is_none_is_2(tmp_path, headland, content):
    if content:
        (tmp_path / "ca.pem").write_text(content)
    result = headland("https://127.0.0.1:9", HEADLAND_CA=str(tmp_path / "ca.pem"))
    assert result.returncode == 2
    assert result.stderr.startswith(f"headland: the CA file {tmp_path / 'ca.pem'} can't be used (")


def test_nobody_there_is_6(headland):
    with socket.socket() as reserved:
        reserved.bind(("127.0.0.1", 0))  # bound and not listening: connections are refused
        port = reserved.getsockname()[1]
        result = headland(f"https://127.0.0.1:{port}")
    assert result.returncode == 6
    assert "can't be reached (Connection refused)" in result.stderr
    assert "Traceback" not in result.stderr


def test_a_host_that_does_not_exist_is_6(headland):
    assert headland("https://headland.invalid").returncode == 6


def test_tls_spoken_to_a_plain_listener_is_6(headland):
    with http.server.HTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.handle_request)
        thread.start()
        result = headland(f"https://127.0.0.1:{server.server_address[1]}")
        thread.join()
    assert result.returncode == 6
    assert "Traceback" not in result.stderr
