"""What jobs are told to trust: nothing of the system's is lost, and the deployment's own is there."""

import datetime
import os
import ssl
import subprocess
import warnings
from pathlib import Path

import pytest
from cryptography import x509
from tests.service.identity.keys import certificate

from headland.jobs.clusters.java import Toolchain
from headland.server import trust
from headland.server.certificates import ServerCertificate, server_certificate
from headland.server.home import prepare_home
from headland.server.trust import prepare_trust, system_certificates
from headland.settings import Home, JobsSettings, Settings

NOW = datetime.datetime(2027, 1, 15, tzinfo=datetime.UTC)


@pytest.fixture
def home(tmp_path: Path) -> Home:
    made = Home(tmp_path / "my home ü")
    prepare_home(made)
    return made


def names_in(pem: bytes) -> set[str]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return {each.subject.rfc4514_string() for each in x509.load_pem_x509_certificates(pem)}


def subjects(file: Path) -> set[str]:
    return names_in(file.read_bytes())


def entries(store: Path) -> int:
    """How many certificates Java finds in a trust store, which it opens without a password."""
    keytool = Toolchain.of(JobsSettings()).java_home / "bin" / "keytool"
    if not keytool.exists():
        pytest.skip("this Java comes without keytool")
    listed = subprocess.run(
        [keytool, "-list", "-keystore", store, "-storepass", ""], capture_output=True, text=True, check=False
    )
    return listed.stdout.count("trustedCertEntry")


def test_the_systems_certificates_and_the_local_authority(home):
    prepare_trust(home, server_certificate(home, Settings(), NOW))
    system = names_in(system_certificates())
    assert len(system) > 50
    assert subjects(home.ca_bundle) == system | subjects(home.ca_certificate)
    assert home.trust.stat().st_mode & 0o777 == 0o700
    # Python takes it as it is.
    context = ssl.create_default_context(cafile=str(home.ca_bundle))
    assert context.cert_store_stats()["x509_ca"] > 50


def test_what_has_not_changed_is_not_made_again(home):
    made = server_certificate(home, Settings(), NOW)
    prepare_trust(home, made)
    before = [(file.stat().st_ino, file.read_bytes()) for file in (home.ca_bundle, home.trust_store)]
    prepare_trust(home, made)
    assert [(file.stat().st_ino, file.read_bytes()) for file in (home.ca_bundle, home.trust_store)] == before
    home.trust_store.unlink()
    prepare_trust(home, made)
    assert home.trust_store.exists()


def test_a_certificate_of_the_operators_own_comes_with_its_chain(home, tmp_path):
    own = tmp_path / "own.pem"
    chain = [certificate(name=name) for name in ("server", "authority")]
    own.write_bytes(b"".join(each.public_bytes(trust.Encoding.PEM) for each in chain))
    prepare_trust(home, ServerCertificate(own, tmp_path / "own.key"))
    told = subjects(home.ca_bundle)
    assert {each.subject.rfc4514_string() for each in chain} <= told
    assert not any("Headland local CA" in subject for subject in told)


def test_what_the_service_was_told_to_trust_counts(home, tmp_path, monkeypatch):
    """A company's own authority: jobs call its servers as the service does."""
    company = tmp_path / "company.pem"
    company.write_bytes(certificate(name="company").public_bytes(trust.Encoding.PEM))
    monkeypatch.setenv("SSL_CERT_FILE", str(company))
    prepare_trust(home, server_certificate(home, Settings(), NOW))
    assert len(subjects(home.ca_bundle)) == 2


def test_a_system_without_certificates_has_those_of_pythons_programs(monkeypatch):
    import certifi

    monkeypatch.setenv("SSL_CERT_FILE", "/nowhere")
    monkeypatch.setattr(trust, "_KNOWN", ())
    assert system_certificates() == Path(certifi.where()).read_bytes()


def test_what_is_no_certificate_is_left_out_for_java(home, tmp_path, monkeypatch):
    """A system's file may have what this or that library does not read; the rest counts."""
    odd = tmp_path / "odd.pem"
    good = certificate(name="good").public_bytes(trust.Encoding.PEM)
    odd.write_bytes(
        b"# a comment\n-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n" + good + good
    )
    monkeypatch.setenv("SSL_CERT_FILE", str(odd))
    prepare_trust(home, server_certificate(home, Settings(), NOW))
    assert home.trust_store.read_bytes()
    assert entries(home.trust_store) == 2


def test_java_opens_it(home):
    prepare_trust(home, server_certificate(home, Settings(), NOW))
    assert (
        entries(home.trust_store)
        == len(set(home.ca_bundle.read_text().split("-----BEGIN CERTIFICATE-----"))) - 1
    )


def test_a_home_that_can_be_read_by_others_shows_no_key(home):
    prepare_trust(home, server_certificate(home, Settings(), NOW))
    assert sorted(os.listdir(home.trust)) == ["ca-bundle.pem", "trust-store.p12"]  # noqa: PTH208
    assert b"PRIVATE" not in home.ca_bundle.read_bytes()
