import datetime

from cryptography import x509

from headland.server.certificates import server_certificate
from headland.server.home import prepare_home
from headland.settings import ControlSettings, Home, Settings

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
