import pytest

from headland.identity.errors import InvalidFieldError
from headland.identity.people.passwords import Passwords, check_password

pytestmark = pytest.mark.anyio


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


async def test_a_password_is_kept_as_argon2id_with_a_salt_of_its_own():
    passwords = Passwords()
    one, other = await passwords.hash("hedge barley window"), await passwords.hash("hedge barley window")
    assert one.startswith("$argon2id$")
    assert one != other
    assert await passwords.matches(one, "hedge barley window")
    assert not await passwords.matches(one, "hedge barley windoW")


@pytest.mark.parametrize("kept", [None, "", "nonsense"])
async def test_where_there_is_no_password_none_is_right(kept):
    passwords = Passwords()
    for tried in ("", "nobody's", "hedge barley window"):
        assert not await passwords.matches(kept, tried)


def test_words_that_anybody_may_choose():
    for good in ("hedge barley window", "ünger Mäander wärmt", "correct horse battery staple"):
        check_password(good, "ada")
    for bad in (
        "password1234",
        "Passw0rd!2024",
        "qwertyuiop123",
        "1q2w3e4r5t6y",
        "headland2026!",
        "Ada Lovelace1",
        "adalovelace1815",
    ):
        with pytest.raises(InvalidFieldError, match="among the first that are tried"):
            check_password(bad, "lady", "Ada Lovelace")
    for bad in ("", "short", "a" * 300, "abababababab", "xx Ada xx Ada xx"):
        with pytest.raises(InvalidFieldError):
            check_password(bad, "ada")
