import base64
import hashlib
import hmac

import pytest

from headland.identity import client_secrets
from headland.identity.client_secrets import matching, new_secret
from headland.identity.clients import by_secret
from headland.identity.records import Application, Secret, Tenant
from headland.identity.refusals import TokenRefusedError

NOW = 1_800_000_000_000
TENANT = Tenant("t", "meadow", 0)


def secret(value: str, expires_at: int = NOW + 1) -> Secret:
    return Secret(value, "c", hashlib.sha256(value.encode()).digest(), value[:3], None, 0, expires_at)


def application(*secrets: Secret, tenant_id: str = "t", disabled_at: int | None = None) -> Application:
    return Application("c", tenant_id, "o", "Drone", False, 0, None, disabled_at, None, secrets)


def refusal_code(known: Application | None, value: str) -> int:
    with pytest.raises(TokenRefusedError) as caught:
        by_secret(known, TENANT, "c", value, NOW)
    return caught.value.case.code


def test_secret_is_256_random_bits_and_only_its_hash_is_kept():
    made = new_secret("c", "Spring", NOW, 2)
    assert len(base64.urlsafe_b64decode(made.value + "=")) == 32
    assert made.record.hash == hashlib.sha256(made.value.encode()).digest()
    assert made.record.hint == made.value[:3]
    assert made.record.expires_at == NOW + 2 * 24 * 3600 * 1000
    assert made.value not in repr(made)
    assert made.value != new_secret("c", "Spring", NOW, 2).value


def test_every_secret_is_compared_in_constant_time_even_of_nobody(monkeypatch):
    compared = []

    def compare(one: bytes, other: bytes) -> bool:
        compared.append(other)
        return hmac.compare_digest(one, other)

    monkeypatch.setattr(client_secrets, "hmac", type("Spy", (), {"compare_digest": staticmethod(compare)}))
    one, two = secret("one"), secret("two")
    assert matching(application(one, two), "one") == [one]
    assert compared[1:] == [one.hash, two.hash]
    compared.clear()
    assert matching(None, "one") == []
    assert len(compared) == 1


def test_any_live_secret_authenticates():
    known = application(secret("one"), secret("two"), secret("old", NOW))
    assert by_secret(known, TENANT, "c", "one", NOW).application is known
    assert by_secret(known, TENANT, "c", "two", NOW).application is known


def test_live_twin_of_an_expired_secret_counts():
    known = application(secret("one", NOW), secret("one", NOW + 1))
    assert by_secret(known, TENANT, "c", "one", NOW).application is known


def test_secret_expires_at_its_instant():
    assert refusal_code(application(secret("old", NOW)), "old") == 7000222
    known = application(secret("old", NOW + 1))
    assert by_secret(known, TENANT, "c", "old", NOW).application is known


@pytest.mark.parametrize(
    ("known", "value", "code"),
    [
        (None, "one", 700016),
        (application(secret("one"), tenant_id="other"), "one", 700016),
        (application(secret("one")), "two", 7000215),
        (application(secret("old", NOW)), "two", 7000215),
        (application(), "one", 7000215),
        (application(secret("one"), disabled_at=1), "one", 7000112),
        (application(secret("one"), disabled_at=1), "two", 7000215),
    ],
)
def test_clients_are_refused(known, value, code):
    assert refusal_code(known, value) == code
