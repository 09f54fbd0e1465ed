"""When an issuer is asked, and what happens while it does not answer."""

import asyncio
import hashlib
import hmac
import json
import threading
from base64 import urlsafe_b64encode
from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest
from joserfc import jwt
from joserfc.jwk import ECKey, RSAKey

from headland.security import TokenError, Verifier
from headland.security.outside import OutsideIssuer
from headland.security.outside.documents import IssuerUnavailableError
from headland.security.outside.keys import PublishedKeys, published_keys
from headland.security.token_errors import UnknownKeyError
from headland.settings import IssuerSettings, SecuritySettings

SETTINGS = IssuerSettings("https://login.example", tenant="elsewhere")
SECURITY = SecuritySettings(key_set_max_age=1000, key_set_cooldown=10)
KEYS = {kid: RSAKey.generate_key(2048) for kid in ("a", "b")}
FARM = frozenset({"farm"})


class World:
    """A provider that publishes `kids`, and the time."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.now = 1_800_000_000.0
        self.kids: tuple[str, ...] = ("a",)
        self.away = False
        self.asked = 0
        self.pause = threading.Event()
        self.pause.set()

    def fetch(self, _settings: IssuerSettings, _timeout: float) -> PublishedKeys:
        self.asked += 1
        assert self.pause.wait(10)
        if self.away:
            raise IssuerUnavailableError("away")
        entries = [{**KEYS[kid].as_dict(private=False), "kid": kid} for kid in self.kids]
        return published_keys({"keys": entries})

    def issuer(self, **settings: object) -> OutsideIssuer:
        """As a process that starts has it."""
        return OutsideIssuer(
            msgspec.structs.replace(SETTINGS, **settings),
            SECURITY,
            self.folder,
            fetch=self.fetch,
            clock=lambda: self.now,
            monotonic=lambda: self.now,
        )


@pytest.fixture
def world(tmp_path: Path) -> World:
    return World(tmp_path / "cache" / "issuers")


def token(
    kid: str,
    algorithm: str = "RS256",
    key: RSAKey | ECKey | None = None,
    header_typ: str | None = None,
    **claims: object,
) -> str:
    said = {"iss": SETTINGS.issuer, "sub": "tractor", "aud": "farm", "exp": 1_800_086_400, **claims}
    header = {"alg": algorithm, "kid": kid, **({} if header_typ is None else {"typ": header_typ})}
    return jwt.encode(header, said, key or KEYS[kid], algorithms=[algorithm])


def known(issuer: OutsideIssuer, *kids: str) -> list[bool]:
    return [asyncio.run(issuer.refresh(kid)) for kid in kids]


def wait(issuer: OutsideIssuer) -> None:
    under_way = issuer._under_way
    assert under_way is not None
    under_way.result(10)


def test_keys_are_kept_for_the_next_start_for_their_owner_alone(world: World) -> None:
    assert known(world.issuer(), "a") == [True]
    world.away = True
    again = world.issuer()
    assert again.key("a") is not None
    (file,) = world.folder.iterdir()
    assert file.stat().st_mode & 0o777 == 0o600
    assert world.asked == 1


@pytest.mark.parametrize("content", [b"", b"{", b'{"issuer":"https://login.example"}', b"\xff"])
def test_a_damaged_file_is_as_none(world: World, content: bytes) -> None:
    assert known(world.issuer(), "a") == [True]
    (file,) = world.folder.iterdir()
    file.write_bytes(content)
    again = world.issuer()
    assert again.key("a") is None
    assert known(again, "a") == [True]


def test_unknown_keys_have_the_issuer_asked_once_a_cooldown(world: World) -> None:
    issuer = world.issuer()
    assert known(issuer, "x", "y", "z") == [False, False, False]
    assert world.asked == 1
    world.kids = ("a", "b")
    assert known(issuer, "b") == [False]
    world.now += 10
    assert known(issuer, "b") == [True]
    assert world.asked == 2


def test_several_that_wait_cause_one_call(world: World) -> None:
    world.pause.clear()
    issuer = world.issuer()

    async def many() -> list[bool]:
        waiting = [asyncio.create_task(issuer.refresh("a")) for _ in range(20)]
        await asyncio.sleep(0)
        world.pause.set()
        return await asyncio.gather(*waiting)

    assert asyncio.run(many()) == [True] * 20
    assert world.asked == 1


def test_old_keys_are_asked_for_without_waiting_and_used_meanwhile(world: World) -> None:
    issuer = world.issuer()
    assert known(issuer, "a") == [True]
    before = issuer.generation()
    world.now += 1000
    world.kids, world.away = ("b",), True
    assert issuer.generation() == before
    wait(issuer)
    assert issuer.key("a") is not None
    assert issuer.generation() == before
    assert world.asked == 2
    world.away = False
    world.now += 10
    issuer.generation()
    wait(issuer)
    assert issuer.generation() == before + 1
    assert issuer.key("a") is None


def test_what_another_process_has_fetched_is_taken_over(world: World) -> None:
    one, other = world.issuer(), world.issuer()
    assert known(one, "a") == [True]
    assert known(other, "a") == [True]
    assert world.asked == 1


def test_a_token_is_refused_once_its_key_is_published_no_more(world: World) -> None:
    issuer = world.issuer()
    verifier = Verifier([issuer.trusted()], lambda: world.now)
    with pytest.raises(UnknownKeyError):
        verifier.verify(token("a"), FARM)
    assert known(issuer, "a") == [True]
    good = token("a")
    assert verifier.verify(good, FARM).tenant_id == "elsewhere"
    world.kids = ("b",)
    world.now += 1000
    verifier.verify(good, FARM)
    wait(issuer)
    with pytest.raises(TokenError, match="does not publish"):
        verifier.verify(good, FARM)


def _verifier(world: World, **settings: object) -> Verifier:
    issuer = world.issuer(**settings)
    assert known(issuer, "a") == [True]
    return Verifier([issuer.trusted()], lambda: world.now)


@pytest.mark.parametrize(
    ("typ", "claims", "access", "id_token"),
    [
        (None, {}, True, False),
        ("JWT", {}, True, False),
        ("at+jwt", {}, True, False),
        ("application/at+JWT", {"nonce": "n"}, True, False),
        ("JWT", {"nonce": "n"}, False, True),
        ("JWT", {"typ": "ID"}, False, True),
        (None, {"at_hash": "x"}, False, True),
        ("logout+jwt", {}, False, False),
        ("dpop+jwt", {}, False, False),
        ("secevent+jwt", {"nonce": "n"}, False, False),
        ("id_token+jwt", {"nonce": "n"}, False, False),
    ],
)
def test_a_token_is_taken_for_what_it_is(
    world: World, typ: str | None, claims: dict[str, object], *, access: bool, id_token: bool
) -> None:
    verifier = _verifier(world)
    made = token("a", header_typ=typ, **claims)
    for wanted, taken in ((False, access), (True, id_token)):
        if taken:
            assert verifier.verify(made, FARM, id_token=wanted).tenant_id == "elsewhere"
        else:
            with pytest.raises(TokenError):
                verifier.verify(made, FARM, id_token=wanted)


def test_where_access_tokens_say_so_nothing_else_is_one(world: World) -> None:
    verifier = _verifier(world, token_types=("at+jwt",))
    for typ in (None, "JWT"):
        with pytest.raises(TokenError, match="of a type that is not taken"):
            verifier.verify(token("a", header_typ=typ), FARM)
    assert verifier.verify(token("a", header_typ="at+jwt"), FARM)
    assert verifier.verify(token("a", header_typ="JWT", nonce="n"), FARM, id_token=True)


@pytest.mark.parametrize(
    ("claims", "taken"),
    [
        ({"exp": 1_800_003_600}, True),
        ({"exp": 1_800_003_700}, False),
        ({"exp": 1_800_003_000, "iat": 1_800_000_000}, True),
        # Nearly over, and yet good for longer than any token is to be.
        ({"exp": 1_800_000_600, "iat": 1_799_990_000}, False),
        ({"exp": 1_800_004_000, "iat": 1_800_003_999}, False),
        ({"exp": 10**30}, False),
        ({"exp": 1e300}, False),
        ({"exp": 1_800_003_000, "iat": -(10**4000)}, False),
    ],
)
def test_a_token_is_good_for_no_longer_than_is_taken(
    world: World, claims: dict[str, object], *, taken: bool
) -> None:
    verifier = _verifier(world, longest_lifetime=3600.0)
    if taken:
        assert verifier.verify(token("a", **claims), FARM)
    else:
        with pytest.raises(TokenError, match=r"valid for longer|is no time"):
            verifier.verify(token("a", **claims), FARM)


def _part(value: object) -> str:
    return urlsafe_b64encode(json.dumps(value).encode()).decode().rstrip("=")


def _claims() -> dict[str, object]:
    return {"iss": SETTINGS.issuer, "sub": "tractor", "aud": "farm", "exp": 1_900_000_000}


def _shared_secret() -> str:
    head = f"{_part({'alg': 'HS256', 'kid': 'a'})}.{_part(_claims())}"
    digest = hmac.digest(KEYS["a"].as_pem(private=False), head.encode(), hashlib.sha256)
    return f"{head}.{urlsafe_b64encode(digest).decode().rstrip('=')}"


def _unsigned() -> str:
    return f"{_part({'alg': 'none', 'kid': 'a'})}.{_part(_claims())}."


FORGERIES: dict[str, Callable[[], str]] = {
    "signed with another key": lambda: token("a", key=KEYS["b"]),
    "by an algorithm of another family": lambda: token("a", "ES256", ECKey.generate_key("P-256")),
    "of another issuer": lambda: token("a", iss="https://login.example/"),
    "with the public key as a shared secret": _shared_secret,
    "without a signature": _unsigned,
}


@pytest.mark.parametrize("make", FORGERIES.values(), ids=FORGERIES)
def test_forgeries_are_refused(world: World, make: Callable[[], str]) -> None:
    issuer = world.issuer()
    assert known(issuer, "a") == [True]
    with pytest.raises(TokenError):
        Verifier([issuer.trusted()], lambda: world.now).verify(make(), FARM)
