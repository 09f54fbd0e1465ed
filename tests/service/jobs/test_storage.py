"""What a submission names has to be there, and to be allowed: refused at once where that can be told."""

import pytest

from headland.jobs.batches.submission import decode
from headland.settings import AccountSettings, JobsSettings, StorageSettings

pytestmark = pytest.mark.anyio

CLASS = {"className": "demo.App"}
LISTS = ("jars", "pyFiles", "files", "archives")

REFUSED = {
    "missing blob": ("wasbs:///gone.jar", "There is no blob wasbs://default@headland/gone.jar."),
    "missing container": (
        "wasbs://other@headland/app.jar",
        "There is no blob wasbs://other@headland/app.jar.",
    ),
    "unknown account": (
        "wasbs://data@elsewhere/app.jar",
        "There is no storage account 'elsewhere' here. Known are: headland.",
    ),
    "unknown account by its long name": (
        "wasbs://data@elsewhere.blob.core.windows.net/app.jar",
        "There is no storage account 'elsewhere' here.",
    ),
    "a folder": ("wasbs:///folder", "wasbs://default@headland/folder is a folder, not a blob."),
    "out of the container": ("wasbs:///../default/app.jar", "wasbs://default@headland/../default/app.jar: "),
    "out of it half-way": ("wasbs:///folder/../app.jar", "wasbs://default@headland/folder/../app.jar: "),
    "out of the account": (
        "wasbs:///../../../../etc/passwd",
        "wasbs://default@headland/../../../../etc/passwd: ",
    ),
    "a container that is none": ("wasbs://..@headland/app.jar", "'..' is no container name"),
    "an account that is none": ("wasbs://data@../app.jar", "'..' is no account name"),
    "no path": ("wasbs:///", "it names no path"),
    "no container": ("wasbs://headland/app.jar", "it names no container"),
    "a backslash": ("wasbs:///folder\\app.jar", "a backslash"),
    "a password": ("wasbs://data:hunter2@headland/app.jar", "it has a user or password"),
    "a link out of the account": ("wasbs:///link.jar", "leads out of its storage account by a symbolic link"),
    "a link to nothing": ("wasbs:///dangling.jar", "There is no blob wasbs://default@headland/dangling.jar."),
    "another scheme": ("abfss://data@headland/app.jar", "has the scheme 'abfss', which is not allowed here"),
    "percent-encoded": (
        "wasbs:///%2e%2e/app.jar",
        "There is no blob wasbs://default@headland/%2e%2e/app.jar.",
    ),
}


@pytest.fixture
def prepared(service, tmp_path):
    """Links and folders among the blobs."""
    service.put("folder/app.jar")
    container = service.home.storage / "headland" / "default"
    (tmp_path / "secret.jar").write_bytes(b"zip")
    (container / "link.jar").symlink_to(tmp_path / "secret.jar")
    (container / "dangling.jar").symlink_to("nothing.jar")
    return service


@pytest.mark.parametrize(("path", "text"), REFUSED.values(), ids=REFUSED)
async def test_a_file_that_can_not_be_used_is_refused(prepared, check_error, path, text):
    check_error(await prepared.post(json={"file": path, **CLASS}), 400, text)
    for field in LISTS:
        body = {"file": "wasbs:///app.jar", **CLASS, field: ["wasbs:///app.jar", path]}
        check_error(await prepared.post(json=body), 400, text)
    assert prepared.is_untouched()


async def test_no_signature_or_password_is_repeated(service, check_error):
    for path in ("wasbs:///app.jar?sig=hunter2", "wasbs://data:hunter2@headland/app.jar"):
        answer = await service.post(json={"file": path, **CLASS})
        check_error(answer, 400, "wasbs://")
        assert "hunter2" not in answer.text


async def test_lists_in_conf_are_looked_for_too(service, check_error):
    for key in ("spark.jars", "spark.files", "spark.archives", "spark.submit.pyFiles"):
        body = {"file": "wasbs:///app.jar", **CLASS, "conf": {key: "wasbs:///app.jar,wasbs:///gone.jar"}}
        check_error(await service.post(json=body), 400, "There is no blob wasbs://default@headland/gone.jar.")
    assert service.is_untouched()


async def test_a_link_within_the_account_is_followed(service):
    (service.home.storage / "headland" / "default" / "latest.jar").symlink_to("app.jar")
    assert (await service.post(json={"file": "wasbs:///latest.jar", **CLASS})).status_code == 201


async def test_a_configured_account_is_known_by_both_its_names(make_service, tmp_path):
    (tmp_path / "lake" / "jobs").mkdir(parents=True)
    (tmp_path / "lake" / "jobs" / "app.jar").write_bytes(b"zip")
    accounts = {"lake": AccountSettings(url=f"file://{tmp_path}/lake")}
    service = await make_service(storage=StorageSettings(accounts=accounts))
    for host in ("lake", "lake.blob.core.windows.net"):
        answer = await service.post(json={"file": f"wasbs://jobs@{host}/app.jar", **CLASS})
        assert answer.status_code == 201, answer.text


@pytest.fixture
def allowed(tmp_path):
    """A folder with an archive in it, and one beside it."""
    (tmp_path / "allowed").mkdir()
    (tmp_path / "allowed" / "app.jar").write_bytes(b"zip")
    (tmp_path / "app.jar").write_bytes(b"zip")
    return tmp_path / "allowed"


@pytest.mark.parametrize("form", ["{}/app.jar", "file:{}/app.jar", "file://{}/app.jar"])
async def test_local_paths_are_refused_by_default(service, check_error, allowed, form):
    answer = await service.post(json={"file": form.format(allowed), **CLASS})
    check_error(answer, 400, f"Local path {allowed}/app.jar cannot be added to user sessions.")
    assert service.is_untouched()


@pytest.mark.parametrize("form", ["{}/app.jar", "file:{}/app.jar", "file://{}/app.jar"])
async def test_local_paths_are_allowed_below_configured_folders(make_service, check_error, allowed, form):
    service = await make_service(jobs=JobsSettings(local_folders=(str(allowed),)))
    path = form.format(allowed)
    assert (await service.post(json={"file": path, **CLASS, "jars": [path]})).status_code == 201
    assert decode(service.row(0).request).paths == [path, path]
    for wrong, text in (("../app.jar", "cannot be added to user sessions"), ("gone.jar", "is not a file")):
        answer = await service.post(json={"file": form.format(allowed).replace("app.jar", wrong), **CLASS})
        check_error(answer, 400, text)
    assert service.row(1) is None


async def test_other_schemes_are_left_to_spark_where_allowed(make_service):
    service = await make_service(jobs=JobsSettings(url_schemes=("wasbs", "https")))
    answer = await service.post(json={"file": "https://nowhere.example/app.jar", **CLASS})
    assert answer.status_code == 201
