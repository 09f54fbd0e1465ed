"""Whatever is sent as a certificate, it is known in an instant that it is none."""

import base64
from datetime import UTC, datetime, timedelta

import pytest
from cryptography import x509
from cryptography.hazmat.primitives.asymmetric import rsa
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.serialization import Encoding
from tests.loop_lag import MOST_LAG, processor_time

from headland.identity.client_certificates import LONGEST_TEXT, read_certificate
from headland.identity.errors import InvalidFieldError

BEGIN, END = "-----BEGIN CERTIFICATE-----", "-----END CERTIFICATE-----"

HOSTILE = {
    "blocks that never end": "-----BEGIN A-----",
    "blocks of many labels": "-----BEGIN A-----\n-----END B-----\n",
    "labels that never end": "-----BEGIN ",
    "certificates that never end": f"{BEGIN}\n",
    "empty certificates": f"{BEGIN}\n{END}\n",
    "ends": f"{END}\n",
    "dashes": "-",
    "spaces": " ",
    "base64": "A",
    "sequences within sequences": "MIAw",
    "something else": "ü",
}


def read(text: str) -> None:
    read_certificate(text, "client", name=None, created_by=None, now=0)


def refused(text: str) -> None:
    with pytest.raises(InvalidFieldError):
        read(text)


@pytest.mark.parametrize("name", HOSTILE)
@pytest.mark.parametrize("size", [LONGEST_TEXT, 1_000_000])
def test_hostile_text_is_refused_in_an_instant(name: str, size: int) -> None:
    text = (HOSTILE[name] * size)[:size]
    for shown in (text, f"{BEGIN}\n{text}"[:size], f"{BEGIN}\n{text[: size - 60]}\n{END}"):
        assert processor_time(lambda shown=shown: refused(shown)) < MOST_LAG  # type: ignore[misc]


def made(subject: x509.Name, key: rsa.RSAPrivateKey, *extensions: x509.ExtensionType) -> str:
    now = datetime.now(UTC)
    building = x509.CertificateBuilder(subject, subject, key.public_key(), 7, now, now + timedelta(days=1))
    for extension in extensions:
        building = building.add_extension(extension, critical=False)
    return building.sign(key, SHA256()).public_bytes(Encoding.PEM).decode()


def test_largest_certificate_is_read_in_an_instant() -> None:
    key = rsa.generate_private_key(65537, 2048)
    names = [x509.NameAttribute(x509.NameOID.COMMON_NAME, f"n{number}") for number in range(1200)]
    others = x509.SubjectAlternativeName([x509.DNSName(f"n{number}.example") for number in range(400)])
    text = made(x509.Name(names), key, others)
    assert LONGEST_TEXT * 0.8 < len(text) <= LONGEST_TEXT
    assert processor_time(lambda: read(text)) < MOST_LAG


def test_huge_key_is_refused_in_an_instant() -> None:
    """One that nobody has, in place of the key of a certificate."""
    key = rsa.generate_private_key(65537, 2048)
    pem = made(x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "n")]), key)
    der = base64.b64decode("".join(pem.splitlines()[1:-1]))
    small = key.public_key().public_numbers()
    modulus = small.n.to_bytes(256)
    huge = der.replace(modulus, modulus * 150)

    def grown(data: bytes, at: int, by: int) -> bytes:
        """With two bytes of length at a place of it made more."""
        return data[:at] + (int.from_bytes(data[at : at + 2]) + by).to_bytes(2) + data[at + 2 :]

    place, more = der.index(modulus), len(huge) - len(der)
    # The lengths of number, key, bit string, key information, the part that is signed, and the whole.
    for at in (place - 3, place - 7, place - 12, place - 31, 6, 2):
        assert huge[at - 1] == 0x82
        huge = grown(huge, at, more)
    assert processor_time(lambda: refused(base64.b64encode(huge).decode())) < MOST_LAG
