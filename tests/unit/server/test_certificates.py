import contextlib
import datetime
import socket
import ssl
import threading

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec

from headland.server import certificates
from headland.server.certificates import ServerCertificate, server_certificate
from headland.server.home import prepare_home
from headland.settings import ControlSettings, Home, ServerSettings, Settings, TlsSettings

NOW = datetime.datetime(2027, 1, 15, tzinfo=datetime.UTC)


def names(home: Home, settings: Settings) -> list[str]:
    made = server_certificate(home, settings, NOW)
    certificate = x509.load_pem_x509_certificate(made.certificate.read_bytes())
    alternatives = certificate.extensions.get_extension_for_class(x509.SubjectAlternativeName).value
    return alternatives.get_values_for_type(x509.DNSName)


def test_instances_with_host_names_are_in_the_certificate(tmp_path):
    home = Home(tmp_path / "home")
    prepare_home(home)
    assert not any(name.startswith("*") for name in names(home, Settings()))
    domain = ControlSettings(instance_domain="farm.example.org")
    assert "*.farm.example.org" in names(home, Settings(control=domain))


@pytest.fixture
def home(tmp_path) -> Home:
    made = Home(tmp_path / "home")
    prepare_home(made)
    return made


def shake_hands(home: Home, server: ServerCertificate, name: str) -> None:
    """As OpenSSL's clients do it who trust the authority."""
    own = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    own.load_cert_chain(server.certificate, server.key)
    here, there = socket.socketpair()

    def serve() -> None:
        with contextlib.suppress(OSError), own.wrap_socket(there, server_side=True):
            pass

    thread = threading.Thread(target=serve)
    thread.start()
    try:
        client = ssl.create_default_context(cafile=str(home.ca_certificate))
        with client.wrap_socket(here, server_hostname=name):
            pass
    finally:
        here.close()
        thread.join()


TODAY = datetime.datetime.now(datetime.UTC)


def test_the_authority_speaks_for_the_deployments_own_names_alone(home):
    settings = Settings(server=ServerSettings(public_url="https://farm.example"))
    made = server_certificate(home, settings, TODAY)
    for name in ("farm.example", "localhost", "127.0.0.1", "::1"):
        shake_hands(home, made, name)
    # Its key is not to be had; as it is made it signs for another name.
    names = ["farm.example", "127.0.0.1"]
    authority, key, _ = certificates._authority(Home(home.path / "none"), names, TODAY)
    home.ca_certificate.write_bytes(authority.public_bytes(serialization.Encoding.PEM))
    own = ec.generate_private_key(ec.SECP256R1())
    made.key.write_bytes(certificates._private(own))
    for name, taken in (("farm.example", True), ("bank.example", False), ("10.0.0.1", False)):
        issued = certificates._server(
            [name], (authority, key), own.public_key(), TODAY, datetime.timedelta(days=1)
        )
        made.certificate.write_bytes(issued.public_bytes(serialization.Encoding.PEM))
        if taken:
            shake_hands(home, made, name)
        else:
            with pytest.raises(ssl.SSLCertVerificationError, match="permitted subtree violation"):
                shake_hands(home, made, name)


def test_the_authoritys_key_is_on_no_disk(home):
    server_certificate(home, Settings(), TODAY)
    authority = x509.load_pem_x509_certificate(home.ca_certificate.read_bytes())
    for file in home.tls.iterdir():
        with contextlib.suppress(ValueError):
            key = serialization.load_pem_private_key(file.read_bytes(), password=None)
            assert key.public_key() != authority.public_key(), file


def test_certificates_are_renewed_for_ten_years_under_one_authority(home):
    authority, seen = None, set()
    for days in range(0, 3600, 90):
        made = server_certificate(home, Settings(), NOW + datetime.timedelta(days=days))
        certificate = x509.load_pem_x509_certificate(made.certificate.read_bytes())
        now = home.ca_certificate.read_bytes()
        authority = authority or now
        assert now == authority
        assert made.new_authority == (days == 0)
        left = certificate.not_valid_after_utc - NOW - datetime.timedelta(days=days)
        assert datetime.timedelta(days=30) < left
        assert certificate.not_valid_after_utc - certificate.not_valid_before_utc < datetime.timedelta(
            days=398
        )
        seen.add(certificate.serial_number)
    assert len(seen) > 9
    assert server_certificate(home, Settings(), NOW + datetime.timedelta(days=3640)).new_authority


def test_another_name_needs_another_authority_but_not_another_name_of_the_machine(home, monkeypatch):
    assert server_certificate(home, Settings(), TODAY).new_authority
    monkeypatch.setattr(socket, "gethostname", lambda: "another-container")
    assert not server_certificate(home, Settings(), TODAY).new_authority
    more = Settings(tls=TlsSettings(names=("farm.example",)))
    made = server_certificate(home, more, TODAY)
    assert made.new_authority
    shake_hands(home, made, "farm.example")


def test_what_was_cut_short_is_made_anew(home):
    for missing in ("ca.pem", "server.key", "upcoming.pem", "server.pem"):
        server_certificate(home, Settings(), TODAY)
        (home.tls / missing).unlink()
        shake_hands(home, server_certificate(home, Settings(), TODAY), "localhost")


def test_an_authority_that_clients_trust_already_goes_on_and_its_key_goes(home):
    names = certificates._names(Settings())
    names += certificates._further_names(names)
    authority, key, _ = certificates._authority(home, names, TODAY)
    home.ca_certificate.write_bytes(authority.public_bytes(serialization.Encoding.PEM))
    (home.tls / "ca.key").write_bytes(certificates._private(key))
    before = home.ca_certificate.read_bytes()
    made = server_certificate(home, Settings(), TODAY)
    assert home.ca_certificate.read_bytes() == before
    assert not (home.tls / "ca.key").exists()
    shake_hands(home, made, "localhost")
