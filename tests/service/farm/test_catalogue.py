"""The catalogue beside what is known of the public service: every path, filter and member of each version."""

import re
from typing import Any, get_args

import msgspec
import pytest
from tests.farm_facts import KnownMember, KnownOperation, known_members, known_operations
from tests.service.farm.conftest import Directory

from headland.farm import Files, Stores, farm_operations
from headland.farm.catalogue import FAMILIES
from headland.farm.catalogue.members import members_of
from headland.farm.catalogue.shape import shape_of
from headland.farm.datasets import DatasetAccess
from headland.farm.versions import ALL, Version
from headland.farm.work.pending import Pending
from headland.http.operations import Operation
from headland.security import Guard, Verifier

#: What is not served yet.
NOT_YET = re.compile(
    r"\w+ (/sensor-.*|/oauth/.*|/farm-operations/.*|/scenes.*|/weather.*|/model-inference/.*"
    r"|/solutions/.*)"
)
#: Members of which the tables do not say right who writes them: in version A, clients must say what a boundary is
#: of; and what follows from a geometry is the service's to say.
OTHERWISE = {
    ("Boundary", "A", "parentType"),
    *(("Boundary", letter, name) for letter in "CDE" for name in ("area", "centroid", "bbox")),
}
#: Filters of Headland's own, of the lists of parties.
OWN = {"nameContains"}
PAGING = {"skipToken", "maxPageSize", "$skipToken", "$maxPageSize"}


@pytest.fixture(params=sorted(ALL), ids=lambda version: version.name)
def version(request: pytest.FixtureRequest) -> Version:
    found: Version = request.param
    return found


@pytest.fixture
def declared(
    version: Version, stores: Stores, directory: Directory, pending: Pending, files: Files
) -> dict[tuple[str, str], Operation]:
    """Operations of a version, by method and path."""
    operations = farm_operations(
        guard=Guard(Verifier([]), frozenset()),
        authorizer=directory,
        instances=directory,
        stores=stores,
        pending=pending,
        files=files,
        max_body=1,
        version=version,
    )
    return {(each.method, each.path): each for each in operations}


@pytest.fixture
def known(version: Version) -> dict[tuple[str, str], KnownOperation]:
    return {(each.method, each.path): each for each in known_operations(version.name)}


def test_every_path_is_served_and_no_other(declared: dict, known: dict) -> None:
    expected = {(method, path) for method, path in known if not NOT_YET.fullmatch(f"{method} {path}")}
    additions = {key for key, operation in declared.items() if operation.addition}
    assert declared.keys() - additions <= known.keys()
    assert expected <= declared.keys()


def test_filters(declared: dict, known: dict) -> None:
    for key, operation in declared.items():
        if operation.addition:
            continue
        names = {each.name for each in operation.parameters if each.place == "query"}
        own = OWN if key in {("GET", "/parties"), ("GET", "/farmers")} else set()
        assert names - PAGING - {"api-version"} == known[key].query | own, key
        assert bool(names & PAGING) == known[key].paged, key


def test_paging_has_the_versions_names(declared: dict, version: Version) -> None:
    dollar = "$" if version.name in "AB" else ""
    for operation in declared.values():
        names = {each.name for each in operation.parameters} & PAGING
        assert names in (set(), {f"{dollar}skipToken", f"{dollar}maxPageSize"})


def test_schemas_have_their_names(declared: dict, known: dict) -> None:
    for key, operation in declared.items():
        if operation.addition:
            continue
        status, *words = known[key].success.split()
        wanted = words[0] if words else None
        for code in map(int, status.split("/")):
            body = operation.answers[code].body
            found = getattr(body, "__name__", body)
            assert found == (wanted if wanted != "file:binary" else "application/octet-stream"), key
        if operation.method == "PATCH":
            check_body(operation.body, str(known[key].body))


@pytest.mark.parametrize("family", [each for each in FAMILIES if each.served], ids=lambda family: family.name)
def test_members(family: Any) -> None:
    for version in sorted(ALL & family.versions):
        shape = shape_of(family, version)
        members = known_members(family.kind.of(version), version.name)
        assert members is not None, version
        every = [each for each in members_of(family.document) if version in each.versions]
        declared = {each.name_in(version): each for each in every}
        assert declared.keys() == members.keys(), version.name
        fields = {each.encode_name: each for each in msgspec.structs.fields(shape.struct)}
        for name, member in members.items():
            if name in declared:
                about = (family.kind.of(version), version.name, name)
                assert declared[name].read_only == (member.read_only ^ (about in OTHERWISE)), about
                demanded = fields[name].required or version in declared[name].required
                assert demanded == member.required, about
                check_rules(fields[name].type, member, version)


def check_body(body: type[Any], known: str) -> None:
    """A schema of that name; or a form, whose parts may be fewer than the public service's, which ignores some."""
    form = known.removeprefix("multipart: ")
    if form == known:
        assert body.__name__ == known
        return
    parts = {re.split(r"[*(]", part)[0] for part in form.split(", ")}
    assert {field.encode_name for field in msgspec.structs.fields(body)} <= parts


def test_members_of_what_is_no_document() -> None:
    known = known_members("DatasetAccess", "G")
    assert known is not None
    assert {each.encode_name for each in msgspec.structs.fields(DatasetAccess)} == known.keys()


def check_rules(declared: Any, member: KnownMember, version: Version) -> None:
    """Lengths, words and limits."""
    schema = msgspec.json.schema(declared)
    choices = schema.get("anyOf", [schema])
    about = (version.name, member.name, schema)
    if "maxLen" in member.rules and not member.read_only:
        assert [each["maxLength"] for each in choices if "maxLength" in each] == [
            int(member.rules["maxLen"])
        ], about
    shortest = int(member.rules.get("minLen", 0))
    if shortest and not member.read_only:
        assert [each["minLength"] for each in choices if "minLength" in each] == [shortest], about
    if "enum" in member.rules:
        words = {word for each in (declared, *get_args(declared)) for word in get_args(each)}
        wanted = set(member.rules["enum"].split("/"))
        assert {word for word in words if isinstance(word, str)} == wanted, about
    kind = {"int32": "integer", "double": "number", "bool": "boolean"}.get(member.type)
    if kind is not None:
        assert {each.get("type") for each in choices} - {"null"} == {kind}, about
    if member.type == "datetime":
        assert any(each.get("format") == "date-time" for each in choices), about
