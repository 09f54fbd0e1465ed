"""Clients that trust the local CA, whose name constraints they all have to understand."""

import os
import shutil
import ssl
import subprocess
from pathlib import Path

import httpx
import pytest
from tests.clients.peers import is_missing
from tests.serving import Served

JAVA = """
import java.net.URI;
import java.net.http.*;

class Ask {
    public static void main(String[] given) throws Exception {
        var request = HttpRequest.newBuilder(URI.create(given[0])).build();
        System.out.print(HttpClient.newHttpClient().send(request, HttpResponse.BodyHandlers.ofString()).statusCode());
    }
}
"""

GO = """
package main

import (
    "crypto/tls"
    "crypto/x509"
    "fmt"
    "net/http"
    "os"
)

func main() {
    pem, _ := os.ReadFile(os.Args[2])
    pool := x509.NewCertPool()
    pool.AppendCertsFromPEM(pem)
    http.DefaultTransport.(*http.Transport).TLSClientConfig = &tls.Config{RootCAs: pool}
    answer, err := http.Get(os.Args[1])
    if err != nil {
        fmt.Println(err)
        os.Exit(1)
    }
    fmt.Print(answer.StatusCode)
}
"""

NODE = (
    "require('https').get(process.argv[1], a => { process.stdout.write(String(a.statusCode)); a.destroy() })"
)


def ask(*command: object, **environment: str) -> str:
    if shutil.which(str(command[0])) is None:
        is_missing(f"{command[0]} is not installed")
    done = subprocess.run(
        [str(part) for part in command],
        # Java takes the encoding of file names from the locale.
        env={"PATH": os.environ["PATH"], "HOME": str(Path.home()), "LC_ALL": "C.UTF-8", **environment},
        capture_output=True,
        text=True,
        timeout=200,
        check=False,
    )
    return done.stdout + done.stderr


@pytest.mark.parametrize("host", ["localhost", "127.0.0.1"])
def test_clients_trust_the_local_ca(served: Served, tmp_path: Path, host: str) -> None:
    url = f"https://{host}:{served.url.rpartition(':')[2]}/health/live"
    context = ssl.create_default_context(cafile=served.ca)
    assert httpx.get(url, verify=context).status_code == 200
    assert ask("curl", "-s", "-o", "/dev/null", "-w", "%{http_code}", "--cacert", served.ca, url) == "200"
    assert ask("node", "-e", NODE, url, NODE_EXTRA_CA_CERTS=str(served.ca)) == "200"
    program = tmp_path / "Ask.java"
    program.write_text(JAVA)
    store = f"-Djavax.net.ssl.trustStore={served.home / 'trust' / 'trust-store.p12'}"
    assert ask("java", store, program, url) == "200"
    program = tmp_path / "ask.go"
    program.write_text(GO)
    assert ask("go", "run", program, url, served.ca, GOFLAGS="-mod=mod") == "200"
