"""Requests that a browser sends for a page of another origin, and those of everybody else."""

import socket

import pytest

from headland.http.cross_site import CrossSite

JSON = {"content-type": "application/json", "content-length": "2"}
OWN = {"origin": "http://localhost:8998", "sec-fetch-site": "same-origin"}

#: As clients send them: method, `Host`, what else, and the answer's status, None for whoever may call.
REQUESTS = {
    "curl": ("POST", "127.0.0.1:8998", JSON, None),
    "by the machine's name": ("GET", f"{socket.gethostname()}:8998", {}, None),
    "by a name of the settings": ("GET", "Livy.Farm.Example.:8998", {}, None),
    "by version 6": ("GET", "[::1]:8998", {}, None),
    "without a host": ("GET", "", {}, None),
    "without a body": ("DELETE", "localhost", {}, None),
    "an empty body": ("POST", "localhost", {"content-length": "0"}, None),
    "the port's own page": ("POST", "localhost:8998", {**JSON, **OWN}, None),
    "the user": ("GET", "localhost:8998", {"sec-fetch-site": "none"}, None),
    "another site": ("GET", "localhost:8998", {"sec-fetch-site": "cross-site"}, 403),
    "another port": ("GET", "localhost:8998", {"sec-fetch-site": "same-site"}, 403),
    "another origin": ("POST", "localhost:8998", {**JSON, "origin": "http://localhost:3000"}, 403),
    "an origin that is none": ("POST", "localhost:8998", {**JSON, "origin": "http://[weeds"}, 403),
    "a page without an origin": ("POST", "localhost:8998", {"origin": "null"}, 403),
    "another name of this machine": ("GET", "weeds.example:8998", {}, 421),
    "such a name that looks like an address": ("GET", "127.0.0.1.weeds.example", {}, 421),
    "a body of which nothing is said": ("POST", "localhost", {"content-length": "2"}, 415),
    "one in parts": ("POST", "localhost", {"transfer-encoding": "chunked"}, 415),
}


@pytest.mark.parametrize("name", REQUESTS)
def test_who_may_call(name: str) -> None:
    method, host, others, status = REQUESTS[name]
    headers = {key.encode(): value.encode() for key, value in {"host": host, **others}.items() if value}
    scope = {"type": "http", "method": method, "http_version": "1.1"}
    refusal = CrossSite(["livy.farm.example"]).refusal(scope, headers)
    assert (refusal and refusal[0]) == status


def test_the_setting_is_named() -> None:
    refused = CrossSite([]).refusal({"method": "GET"}, {b"host": b"weeds.example"})
    assert refused is not None
    assert "'weeds.example'" in refused[1]
    assert "`server.private_names`" in refused[1]
