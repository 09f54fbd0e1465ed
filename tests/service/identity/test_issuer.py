"""The issuer as the relying side sees it: known issuers, keys, and keys that came later."""

import pytest

from headland.database import DatabaseUnavailableError
from headland.identity import Issuer, store
from headland.identity.keys import SigningKey

PUBLIC_URL = "https://headland.test:8443"


class Monotonic:
    now = 100.0

    def __call__(self) -> float:
        return self.now


def add_key(database, created_at: int) -> SigningKey:
    key = SigningKey.generate()
    database.write_and_wait(
        lambda connection: store.add_signing_key(connection, key.kid, key.pem(), created_at)
    )
    return key


def test_issuer_knows_its_own_names_alone(database, template):
    issuer, tid = Issuer(database, PUBLIC_URL), template[1].tenant_id
    assert issuer.issued(f"{PUBLIC_URL}/{tid}/", tid)
    assert issuer.issued(f"{PUBLIC_URL}/{tid}/v2.0", tid)
    other = "11111111-2222-3333-4444-555555555555"
    assert not issuer.issued(f"{PUBLIC_URL}/{other}/v2.0", other)
    assert not issuer.issued(f"{PUBLIC_URL}/{tid}/v2.0", other)
    assert not issuer.issued(f"https://elsewhere.test/{tid}/v2.0", tid)
    assert not issuer.issued(f"{PUBLIC_URL}/{tid}", tid)


def test_an_issuer_that_finds_no_database_loads_when_it_is_back(database, template, monkeypatch):
    tid = template[1].tenant_id

    def away(_query):
        raise DatabaseUnavailableError("unable to open database file")

    with monkeypatch.context() as gone:
        gone.setattr(database, "read", away)
        issuer = Issuer(database, PUBLIC_URL)
        with pytest.raises(DatabaseUnavailableError):
            issuer.issued(f"{PUBLIC_URL}/{tid}/", tid)
    assert issuer.issued(f"{PUBLIC_URL}/{tid}/", tid)


def test_keys_for_verifiers_are_public_and_the_same_object_each_time(database):
    issuer = Issuer(database, PUBLIC_URL)
    kid = issuer.trusted().key(next(iter(issuer._loaded.keys))).kid
    key = issuer.key(kid)
    assert not key.is_private
    assert key is issuer.key(kid)


def test_unknown_key_is_looked_for_in_the_database_once_in_a_while(database, monkeypatch):
    clock = Monotonic()
    issuer = Issuer(database, PUBLIC_URL, clock)
    reads = []
    read = database.read
    monkeypatch.setattr(database, "read", lambda query: (reads.append(1), read(query))[1])
    assert issuer.key("nobody's") is None
    assert len(reads) == 1
    later = add_key(database, 1_900_000_000_000)
    assert issuer.key(later.kid) is None
    assert len(reads) == 1
    clock.now += 10
    assert issuer.key(later.kid).thumbprint() == later.kid
    assert len(reads) == 2
    assert issuer.key(later.kid) is issuer.key(later.kid)
    assert len(reads) == 2


def test_newest_key_signs_and_all_are_published(database):
    before = Issuer(database, PUBLIC_URL)
    old = before._loaded.signing.kid
    new = add_key(database, 1_900_000_000_000)
    after = Issuer(database, PUBLIC_URL)
    assert after._loaded.signing.kid == new.kid
    assert {old, new.kid} == set(after._loaded.keys)
    assert old.encode() in after.key_set
    assert new.kid.encode() in after.key_set
    # Another worker that has not seen the new key still takes its tokens.
    assert before.key(new.kid) is not None


@pytest.mark.anyio
async def test_secret_check_for_http_basic(checker, template, database):
    first = template[1]
    principal = await checker.check_secret(first.client_id.upper(), first.secret)
    assert (principal.tenant_id, principal.client_id) == (first.tenant_id, first.client_id)
    assert principal.administrator
    for client_id, secret in (
        (first.client_id, "wrong"),
        (first.client_id, ""),
        ("11111111-2222-3333-4444-555555555555", first.secret),
        ("nobody", first.secret),
        ("", ""),
        (first.client_id, "\udc80"),
    ):
        assert await checker.check_secret(client_id, secret) is None
    checker._clock.now += 731 * 86_400
    assert await checker.check_secret(first.client_id, first.secret) is None
    checker._clock.now -= 731 * 86_400
    await database.write(lambda connection: store.set_disabled(connection, first.client_id, 1))
    assert await checker.check_secret(first.client_id, first.secret) is None
