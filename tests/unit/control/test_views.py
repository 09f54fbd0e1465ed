import pytest

from headland.control.locations import displayed, find
from headland.control.scopes import Place, place_of, scope_of
from headland.control.terms import Terms
from headland.control.views import instance_uri, moment, role_id
from headland.settings import ControlSettings, ServerSettings, Settings


@pytest.mark.parametrize(
    ("public", "domain", "uri"),
    [
        ("https://localhost:8443", None, "https://localhost:8443/farm/North-1"),
        ("https://localhost:8443", "farm.example", "https://north-1.farm.example:8443"),
        ("https://headland.example", "farm.example", "https://north-1.farm.example"),
        ("https://headland.example:443", "farm.example", "https://north-1.farm.example"),
    ],
)
def test_addresses_of_instances(public, domain, uri):
    settings = Settings(ServerSettings(public_url=public), control=ControlSettings(instance_domain=domain))
    assert instance_uri("North-1", settings) == uri


def test_times():
    assert moment(1_800_000_000_007) == "2027-01-15T08:00:00.007Z"


def test_role_ids_are_seen_from_a_subscription():
    assert role_id("r", "/") == "/providers/Microsoft.Authorization/roleDefinitions/r"
    seen = role_id("r", "/subscriptions/s/resourceGroups/g")
    assert seen == "/subscriptions/s/providers/Microsoft.Authorization/roleDefinitions/r"


def test_regions_by_either_name():
    assert find("West Europe", ("westeurope",)) == find("WESTEUROPE", ("westeurope",)) == "westeurope"
    assert find("moon", ("westeurope",)) is None
    assert (displayed("westeurope"), displayed("barn7")) == ("West Europe", "barn7")


def test_scopes_from_paths():
    guid = "39cd046f-dc8f-4e9e-82fa-2df73dbe50d9"
    scope = scope_of({"subscriptionId": guid, "resourceGroupName": "g", "farmBeatsResourceName": "i"})
    assert place_of(scope.upper()) == Place(guid, "G", "I")
    assert place_of("/") == place_of("") == Place()


def test_terms_have_the_version_of_their_text(tmp_path):
    file = tmp_path / "terms.txt"
    file.write_text("One")
    one = Terms.of(ControlSettings(terms_file=str(file)))
    file.write_text("Two")
    two = Terms.of(ControlSettings(terms_file=str(file)))
    assert one.version != two.version
    assert Terms.of(ControlSettings(terms_file=str(file), terms_version="7")) == Terms("7", "Two")
    with pytest.raises(FileNotFoundError):
        Terms.of(ControlSettings(terms_file=str(tmp_path / "none")))
