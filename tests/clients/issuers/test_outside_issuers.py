"""Tokens of issuers elsewhere: another Headland, and a provider of somebody else's. All are real processes."""

import json
import time
from collections.abc import Callable
from typing import Any

import httpx
import pytest
from tests.clients.issuers.conftest import Provider, ec_key, rsa_key
from tests.serving import Served

COOLDOWN = 1.0
WITHOUT_IDENTITY = {"server_services": "jobs", "security_key_set_cooldown": str(COOLDOWN)}


def of_provider(provider: Provider, **more: Any) -> str:
    """The setting `security.issuers`."""
    return json.dumps(
        [
            {
                "issuer": provider.issuer,
                "tenant": "elsewhere",
                "object_id_claims": ["https://farm.example/oid"],
                "roles_claim": "groups",
                "roles": {"farm-admins": "Administrator"},
                **more,
            }
        ]
    )


def start(make_served: Callable[..., Served], issuers: str, **settings: str) -> Served:
    served = make_served(**{**WITHOUT_IDENTITY, "security_issuers": issuers, **settings})
    served.start(authorize=False)
    return served


def ask(served: Served, token: str, path: str = "/livy/batches") -> httpx.Response:
    return served.public.get(path, headers={"Authorization": f"Bearer {token}"})


def settled(served: Served, token: str, status: int) -> httpx.Response:
    """The answer, once the cooldown lets the issuer be asked again."""
    deadline = time.monotonic() + 20
    while (answer := ask(served, token)).status_code != status and time.monotonic() < deadline:
        time.sleep(COOLDOWN / 4)
    return answer


@pytest.mark.parametrize(
    ("algorithm", "key"), [("RS256", rsa_key("a")), ("PS256", rsa_key("a", "PS256")), ("ES256", ec_key("a"))]
)
def test_tokens_of_a_provider_open_the_services(
    make_served: Callable[..., Served], provider: Provider, algorithm: str, key: dict[str, Any]
) -> None:
    provider.start(algorithm, key)
    served = make_served(**WITHOUT_IDENTITY)
    served.environment["HEADLAND_SECURITY_ISSUERS"] = of_provider(
        provider, audiences={"api://headland": served.url}
    )
    served.start(authorize=False)
    answer = ask(served, provider.token())
    assert answer.status_code == 200, answer.text
    # Mapped to Headland's own audience and to its administrators.
    trail = ask(served, provider.token(), "/audit/entries")
    assert trail.status_code == 200, trail.text
    # For somebody else, and with the identity service gone.
    other = ask(served, provider.token("api://other"))
    assert other.status_code == 401
    assert "api://other" in other.json()["msg"]
    assert ask(served, provider.token(), "/identity/applications").status_code == 404
    assert served.public.post("/x/oauth2/v2.0/token", data={}).status_code == 404
    private = served.private.get("/batches", headers={"Authorization": f"Bearer {provider.token()}"})
    assert private.status_code == 200, private.text
    log = served.log.read_text()
    assert provider.token()[:40] not in log
    assert f'"principal":"tractor@{provider.issuer}"' in log


def test_keys_outlive_their_issuer_and_a_restart_and_new_ones_are_found(
    make_served: Callable[..., Served], provider: Provider
) -> None:
    first, second = rsa_key("first"), rsa_key("second")
    provider.start("RS256", first)
    audience = "https://hilo.azurehdinsight.net"
    served = start(make_served, of_provider(provider, audiences={"api://headland": audience}))
    old = provider.token()
    assert ask(served, old).status_code == 200

    provider.stop()
    served.stop()
    served.start(authorize=False)
    assert ask(served, old).status_code == 200

    provider.start("RS256", second, first)
    new = provider.token()
    assert settled(served, new, 200).status_code == 200
    assert ask(served, old).status_code == 200

    # A key that is published no more takes its tokens with it, those that were good before, too.
    provider.stop()
    third = rsa_key("third")
    provider.start("RS256", third)
    assert settled(served, provider.token(), 200).status_code == 200
    for token in (old, new):
        refused = ask(served, token)
        assert refused.status_code == 401
        assert "does not publish" in refused.json()["msg"]


def test_an_unknown_key_costs_the_issuer_one_call_a_cooldown(
    make_served: Callable[..., Served], provider: Provider
) -> None:
    provider.start("RS256", rsa_key("a"))
    served = start(make_served, of_provider(provider), security_key_set_cooldown="60")
    assert ask(served, provider.token()).status_code == 401  # for api://headland, which is nobody here
    provider.stop()
    provider.start("RS256", rsa_key("b"))
    token = provider.token()
    began = time.monotonic()
    assert {ask(served, token).status_code for _ in range(20)} == {401}
    assert time.monotonic() - began < 10
    assert served.log.read_text().count("issuer.keys_fetched") == 1


def test_requests_are_answered_while_an_issuer_keeps_silent(
    make_served: Callable[..., Served], provider: Provider
) -> None:
    """A socket that takes connections and says nothing stands in for the worst of networks."""
    import socket
    import threading

    provider.start("RS256", rsa_key("a"))
    token = provider.token()
    provider.stop()
    with socket.create_server(("localhost", provider.port)):
        served = start(make_served, of_provider(provider), security_fetch_timeout="3")
        answers: list[int] = []
        waiting = threading.Thread(target=lambda: answers.append(ask(served, token).status_code))
        waiting.start()
        began = time.monotonic()
        while waiting.is_alive() and time.monotonic() - began < 2:
            asked = time.monotonic()
            assert served.public.get("/health/live").status_code == 200
            assert time.monotonic() - asked < 1.5
        assert waiting.is_alive(), "the issuer was not waited for"
        waiting.join()
        assert answers == [401]


def test_another_headland_is_an_issuer_like_any_other(make_served: Callable[..., Served]) -> None:
    issuing = make_served(server_services="identity")
    issuing.start(authorize=False)
    tenant = issuing.administrator["tenantId"]
    named = [
        {"issuer": f"{issuing.url}/{tenant}/{version}", "ca_file": str(issuing.ca)}
        for version in ("", "v2.0")
    ]
    served = make_served(server_services="identity,jobs")
    named[1] |= {"audiences": {issuing.url: served.url}, "roles": {"Administrator": "Administrator"}}
    served.environment["HEADLAND_SECURITY_ISSUERS"] = json.dumps(named)
    served.start()
    # By v1.0 claims for the cluster, by v2.0 claims for the deployment itself.
    assert ask(served, issuing.token()).status_code == 200
    own = issuing.token(f"{issuing.url}/.default")
    assert ask(served, own, "/audit/entries").status_code == 200
    # An administrator there, but of a tenant that is not here.
    assert ask(served, own, "/identity/applications").status_code == 403
    assert ask(served, served.token()).status_code == 200
