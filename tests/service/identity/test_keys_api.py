"""Signing keys: rotated by command and by age, retired, forgotten."""

import sqlite3

import pytest

from headland.database import Database, upgrade
from headland.identity import KeyKeeper, key_store
from headland.identity.key_rotation import CLOCKS_DIFFER
from headland.identity.keys import SigningKey
from headland.settings import IdentitySettings

pytestmark = pytest.mark.anyio

DAY = 86_400


async def rotate(deployment, **body):
    return await deployment.admin.post("/keys", json=body, headers=await deployment.as_administrator())


async def keys(deployment) -> list[dict]:
    answer = await deployment.admin.get("/keys", headers=await deployment.as_administrator())
    assert answer.status_code == 200
    return answer.json()["keys"]


async def test_a_rotation_publishes_a_key_that_signs_later(deployment):
    (before,) = await keys(deployment)
    made = await rotate(deployment)
    assert made.status_code == 201
    body = made.json()
    assert body == {
        "kid": body["kid"],
        "state": "pending",
        "createdAt": "2027-01-15T08:00:00Z",
        "activatesAt": "2027-01-16T08:00:00Z",
        "publishedUntil": None,
    }
    assert [key["state"] for key in await keys(deployment)] == ["pending", "signing"]
    published = (await deployment.tokens.get(f"/{deployment.tenant}/discovery/v2.0/keys")).json()["keys"]
    assert {key["kid"] for key in published} == {before["kid"], body["kid"]}
    deployment.clock.now += DAY
    assert {key["kid"]: key["state"] for key in await keys(deployment)} == {
        before["kid"]: "retired",
        body["kid"]: "signing",
    }


async def test_a_rotation_at_once_takes_effect_with_the_next_token(deployment):
    old_token = await deployment.token()
    deployment.clock.now += 1
    made = await rotate(deployment, activateAfter=0)
    assert made.json()["state"] == "signing"
    new_token = await deployment.token()
    assert old_token.partition(".")[0] != new_token.partition(".")[0]
    for token in (old_token, new_token):
        answer = await deployment.admin.get("/keys", headers={"authorization": f"Bearer {token}"})
        assert answer.status_code == 200


async def test_a_second_rotation_waits_for_the_first(deployment):
    pending = (await rotate(deployment)).json()
    refused = await rotate(deployment)
    assert refused.status_code == 409
    assert pending["kid"] in refused.json()["msg"]
    assert "2027-01-16T08:00:00Z" in refused.json()["msg"]
    # A key that is no secret any more can't wait.
    assert (await rotate(deployment, activateAfter=0)).status_code == 201


async def test_of_two_rotations_in_one_instant_the_later_one_counts(deployment):
    deployment.clock.now += 1
    first, second = [(await rotate(deployment, activateAfter=0)).json()["kid"] for _ in range(2)]
    deployment.clock.now += 1
    assert [key["kid"] for key in await keys(deployment)][:2] == [second, first]


@pytest.mark.parametrize(
    ("body", "text"),
    [
        ({"activateAfter": -1}, "activateAfter: "),
        ({"activateAfter": "soon"}, "activateAfter: "),
        ({"activateAfter": None}, "activateAfter: "),
        ({"activate": 1}, "activate: unknown field"),
    ],
)
async def test_a_bad_body_is_refused_by_the_name_of_its_field(deployment, body, text):
    answer = await rotate(deployment, **body)
    assert answer.status_code == 400
    assert answer.json()["msg"].startswith(text), answer.text


async def test_only_administrators_see_or_rotate_keys(deployment):
    drone = await deployment.register()
    token = await deployment.token(client_id=drone["clientId"], client_secret=drone["secret"])
    for method in ("GET", "POST"):
        answer = await deployment.admin.request(
            method, "/keys", json={}, headers={"authorization": f"Bearer {token}"}
        )
        assert answer.status_code == 403
        assert (await deployment.admin.request(method, "/keys", json={})).status_code == 401


async def test_a_key_lives_by_age_and_each_step_is_on_record(deployment, tmp_path):
    settings = IdentitySettings(key_lifetime=10 * DAY, key_overlap=DAY)
    keeper = KeyKeeper(deployment.database, settings, deployment.clock)
    (first,) = deployment.database.read(key_store.keys)
    assert keeper.step() == 9 * DAY
    assert deployment.database.read(key_store.keys) == [first]

    deployment.clock.now += 9 * DAY
    assert keeper.step() == DAY + CLOCKS_DIFFER / 1000
    second, _ = deployment.database.read(key_store.keys)
    assert second.activates_at == first.created_at + 10 * DAY * 1000
    assert keeper.step() == DAY + CLOCKS_DIFFER / 1000

    deployment.clock.now += DAY
    keeper.step()
    assert deployment.database.read(key_store.keys)[1] == first
    token = await deployment.token()
    deployment.clock.now += CLOCKS_DIFFER / 1000
    secret_part = first.private_key.splitlines()[10].encode()
    assert secret_part in everything_on_disk(tmp_path)
    assert keeper.step() == 3599 + CLOCKS_DIFFER / 1000
    retired = deployment.database.read(key_store.keys)[1]
    assert (retired.kid, retired.private_key) == (first.kid, None)
    checkpoint(deployment.database)
    assert secret_part not in everything_on_disk(tmp_path)
    assert second.private_key.splitlines()[10].encode() in everything_on_disk(tmp_path)

    answer = await deployment.admin.get("/keys", headers={"authorization": f"Bearer {token}"})
    assert [key["state"] for key in answer.json()["keys"]] == ["signing", "retired"]
    deployment.clock.now += 3599 + CLOCKS_DIFFER / 1000
    keeper.step()
    assert [key.kid for key in deployment.database.read(key_store.keys)] == [second.kid]


async def test_of_two_keepers_one_makes_the_key(deployment):
    settings = IdentitySettings(key_lifetime=10 * DAY, key_overlap=DAY)
    deployment.clock.now += 9 * DAY
    other = Database(deployment.database.url)
    keepers = [KeyKeeper(database, settings, deployment.clock) for database in (deployment.database, other)]
    now = int(deployment.clock() * 1000)
    for keeper in keepers:
        keeper._publish(now)
    other.close()
    assert len(deployment.database.read(key_store.keys)) == 2


async def test_a_retired_key_stays_for_the_longest_lifetime_it_signed_for(deployment):
    deployment.database.write_and_wait(lambda connection: key_store.lengthen(connection, DAY))
    deployment.database.write_and_wait(lambda connection: key_store.lengthen(connection, 60))
    deployment.clock.now += 1
    await rotate(deployment, activateAfter=0)
    deployment.clock.now += CLOCKS_DIFFER / 1000
    KeyKeeper(deployment.database, IdentitySettings(), deployment.clock).step()
    assert (await keys(deployment))[1]["publishedUntil"] == "2027-01-16T08:02:01Z"


def test_keys_of_an_older_headland_stay(tmp_path):
    """A database of the revision before keys were rotated."""
    from alembic import command
    from alembic.config import Config

    from headland.database.sqlite import sqlite_engine
    from headland.database.upgrade import MIGRATIONS

    database = Database.at(tmp_path / "old.db")
    config = Config()
    config.set_main_option("script_location", str(MIGRATIONS))
    config.set_main_option("path_separator", "os")
    engine = sqlite_engine(database.url, 1.0, writer=True, create=True)
    key = SigningKey.generate()
    with engine.begin() as connection:
        config.attributes["connection"] = connection
        command.upgrade(config, "0002")
        connection.exec_driver_sql(
            "INSERT INTO signing_key (kid, private_key, created_at) VALUES (?, ?, 5)", (key.kid, key.pem())
        )
    engine.dispose()
    upgrade(database.url)
    (kept,) = database.read(key_store.keys)
    assert (kept.kid, kept.public_key, kept.private_key) == (key.kid, key.public_json(), key.pem())
    assert (kept.activates_at, kept.retired_at, kept.longest_lifetime) == (5, None, DAY)
    database.close()


def everything_on_disk(folder) -> bytes:
    return b"".join(file.read_bytes() for file in folder.glob("headland.db*"))


def checkpoint(database) -> None:
    """What SQLite does by itself sooner or later: the log's pages go into the file."""
    connection = sqlite3.connect(database.url.removeprefix("sqlite:///"))
    assert connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()[0] == 0
    connection.close()
