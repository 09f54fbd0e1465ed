"""The issuer as the relying side sees it: known issuers, keys, and what other processes have changed."""

import pytest

from headland.audit import Actor
from headland.database import Database, DatabaseUnavailableError
from headland.identity import Issuer, key_store, store
from headland.identity.key_rotation import publish
from headland.identity.keys import SigningKey

PUBLIC_URL = "https://headland.test:8443"
START = 1_800_000_000_000


@pytest.fixture
def elsewhere(database):
    """The same database, as another process has it open."""
    opened = Database(database.url)
    yield opened
    opened.close()


def add_key(database, activates_at: int, now: int = START) -> SigningKey:
    key = SigningKey.generate()
    database.write_and_wait(
        lambda connection: publish(
            connection, key, Actor("test"), activates_at=activates_at, lifetime=3600, now=now
        )
    )
    return key


def test_issuer_knows_its_own_names_alone(database, template):
    issuer, tid = Issuer(database, PUBLIC_URL), template.made.tenant_id
    assert issuer.issued(f"{PUBLIC_URL}/{tid}/", tid)
    assert issuer.issued(f"{PUBLIC_URL}/{tid}/v2.0", tid)
    other = "11111111-2222-3333-4444-555555555555"
    assert not issuer.issued(f"{PUBLIC_URL}/{other}/v2.0", other)
    assert not issuer.issued(f"{PUBLIC_URL}/{tid}/v2.0", other)
    assert not issuer.issued(f"https://elsewhere.test/{tid}/v2.0", tid)
    assert not issuer.issued(f"{PUBLIC_URL}/{tid}", tid)


def test_an_issuer_that_finds_no_database_loads_when_it_is_back(database, template, monkeypatch):
    tid = template.made.tenant_id

    def away(*_):
        raise DatabaseUnavailableError("unable to open database file")

    with monkeypatch.context() as gone:
        gone.setattr(database, "read_remembered", away)
        issuer = Issuer(database, PUBLIC_URL)
        with pytest.raises(DatabaseUnavailableError):
            issuer.issued(f"{PUBLIC_URL}/{tid}/", tid)
    assert issuer.issued(f"{PUBLIC_URL}/{tid}/", tid)


def test_keys_for_verifiers_are_public_and_the_same_object_each_time(database):
    issuer = Issuer(database, PUBLIC_URL)
    (record,) = database.read(key_store.keys)
    key = issuer.key(record.kid)
    assert not key.is_private
    assert key is issuer.key(record.kid)
    assert issuer.key("nobody's") is None


def test_a_key_made_elsewhere_is_published_at_once_and_signs_when_its_time_comes(database, elsewhere):
    now = [START / 1000]
    issuer = Issuer(database, PUBLIC_URL, lambda: now[0])
    (old,) = database.read(key_store.keys)
    new = add_key(elsewhere, START + 3_600_000)
    assert issuer.key(new.kid).thumbprint() == new.kid
    assert {old.kid, new.kid} == {kid for kid in (old.kid, new.kid) if kid.encode() in issuer.key_set}
    assert signer(issuer) == old.kid
    now[0] += 3600
    assert signer(issuer) == new.kid


def test_a_retired_key_is_known_but_signs_no_more_and_a_forgotten_one_is_unknown(database, elsewhere):
    issuer = Issuer(database, PUBLIC_URL, lambda: START / 1000 + 1)
    (old,) = database.read(key_store.keys)
    new = add_key(elsewhere, START)

    def retire(connection):
        key_store.retire(connection, old.kid, START)
        publish(
            connection, SigningKey.generate(), Actor("test"), activates_at=START - 1, lifetime=1, now=START
        )

    elsewhere.write_and_wait(retire)
    assert signer(issuer) == new.kid
    assert issuer.key(old.kid) is not None
    assert old.kid not in issuer._state.private

    def forget(connection):
        key_store.forget(connection, old.kid)
        publish(
            connection, SigningKey.generate(), Actor("test"), activates_at=START - 2, lifetime=1, now=START
        )

    elsewhere.write_and_wait(forget)
    assert issuer.key(old.kid) is None
    assert old.kid.encode() not in issuer.key_set


def signer(issuer: Issuer) -> str:
    import base64
    import json

    head = issuer.sign({}).partition(".")[0]
    return json.loads(base64.urlsafe_b64decode(head + "=" * (-len(head) % 4)))["kid"]


@pytest.mark.anyio
async def test_secret_check_for_http_basic(checker, template, database):
    first = template.made
    principal = await checker.check_secret(first.client_id.upper(), first.secret, "192.0.2.1")
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
        assert await checker.check_secret(client_id, secret, "192.0.2.1") is None
    checker._clock.now += 731 * 86_400
    assert await checker.check_secret(first.client_id, first.secret, "192.0.2.1") is None
    checker._clock.now -= 731 * 86_400
    await database.write(lambda connection: store.set_disabled(connection, first.client_id, 1))
    assert await checker.check_secret(first.client_id, first.secret, "192.0.2.1") is None
