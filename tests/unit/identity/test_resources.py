from headland.identity.resources import Resource, by_identifier, find, resources_of
from headland.settings import IdentitySettings, ServerSettings, Settings

SETTINGS = Settings(
    server=ServerSettings(public_url="https://h.test"),
    identity=IdentitySettings(
        cluster_access_urls=("https://cluster.test", "https://h.test/livy"),
        resources=("https://farm.test/", "api://other"),
    ),
)


def test_resources_come_from_the_settings_and_the_deployment_itself():
    assert set(resources_of(SETTINGS)) == {
        Resource("https://h.test", "2.0"),
        Resource("https://h.test/livy", "2.0"),
        Resource("https://cluster.test", "1.0"),
        Resource("https://h.test/livy", "1.0"),
        Resource("https://farm.test/", "1.0"),
        Resource("api://other", "1.0"),
    }


def test_defaults_are_what_clients_of_the_hosted_services_name():
    hosted = {item.identifier for item in resources_of(Settings()) if item.version == "1.0"}
    assert hosted == {
        "https://hilo.azurehdinsight.net",
        "https://farmbeats.azure.net",
        "https://management.azure.com",
        "https://management.core.windows.net",
    }


def test_resources_are_found_with_or_without_one_trailing_slash():
    resources = by_identifier(resources_of(SETTINGS))
    for asked in ("https://farm.test", "https://farm.test/"):
        assert find(resources, asked) == Resource("https://farm.test/", "1.0")
    for asked in ("https://farm.test//", "https://farm.tes", "", "/", "HTTPS://FARM.TEST"):
        assert find(resources, asked) is None


def test_what_the_deployment_serves_itself_goes_first():
    assert find(by_identifier(resources_of(SETTINGS)), "https://h.test/livy").version == "2.0"


def test_further_resources_can_be_added():
    further = Resource("api://instance", "1.0")
    assert find(by_identifier([*resources_of(SETTINGS), further]), "api://instance/") is further
